#pragma once

#include <string>

#include "bench/results/bench_report.h"

namespace tactus {

/// What a benchmark comes to by family and operator, and every shape, folded away.
std::string bench_markdown(const BenchReport& report);

}  // namespace tactus
