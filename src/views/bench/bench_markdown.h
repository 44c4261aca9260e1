#pragma once

#include <string>

#include "bench/results/bench_report.h"

namespace tactus {

/// The results of a benchmark by family and operator, and every shape in a folded part.
std::string bench_markdown(const BenchReport& report);

}  // namespace tactus
