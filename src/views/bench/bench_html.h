#pragma once

#include <string>

#include "bench/results/bench_report.h"

namespace tactus {

/// One page that needs nothing else: both plots, what it comes to by family and operator, every
/// shape, and a filter for all of them.
std::string bench_html(const BenchReport& report);

}  // namespace tactus
