#pragma once

#include <string>

#include "bench/results/bench_report.h"

namespace tactus {

/// One self-contained page: both plots, the results by family and operator, every shape, and a
/// filter for all of them.
std::string bench_html(const BenchReport& report);

}  // namespace tactus
