#pragma once

#include <vector>

#include "bench/bench.h"

namespace tactus {

/// Several results of one machine as one: of the rows of the same candidate and shape the last
/// counts. One without rivals keeps those of the row that it takes the place of. The score is left
/// to the caller. At least one result; different machines are an error.
Result<BenchResult> merge_results(std::vector<BenchResult> results);

}  // namespace tactus
