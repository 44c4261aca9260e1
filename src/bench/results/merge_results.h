#pragma once

#include <vector>

#include "bench/bench.h"

namespace tactus {

/// Merges several results of one machine: of rows with the same candidate and shape, the last
/// counts. If it has no rivals, it keeps those of the row that it replaces, with their date. Of
/// cards that are known to differ, it names none. The caller sets the score. Needs at least one
/// result; different machines are an error.
Result<BenchResult> merge_results(std::vector<BenchResult> results);

}  // namespace tactus
