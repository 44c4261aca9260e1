#pragma once

#include <cstddef>
#include <string>

#include "bench/results/bench_report.h"

namespace tactus {

/// The rows of a benchmark as a table, the results by operator and family, and the score in words.
std::string bench_text(const BenchReport& report, std::size_t width);

/// A second result compared with a first, row by row: FASTER, SLOWER, SAME, AMBIGUOUS.
std::string bench_comparison_text(const BenchResult& before, const BenchResult& after,
                                  std::size_t width);
std::string bench_comparison_json(const BenchResult& before, const BenchResult& after);

}  // namespace tactus
