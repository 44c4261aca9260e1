#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tactus {

/// Mean and standard deviation of a sample (n - 1; exactly 0 for one value or equal ones).
struct Moments {
  std::int64_t n = 0;
  double mean = 0;
  double stddev = 0;
};
Moments moments(std::span<const double> values);

/// Welch's t-test from summaries, two-sided. Both deviations 0: not-a-number for equal means, else
/// 0. 1 unless both have more than one value.
double welch_p(const Moments& a, const Moments& b);

/// Mann-Whitney U, two-sided: exact for small samples without ties, else the normal approximation
/// with ties and continuity corrected, as scipy does it.
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

/// How far b is above a: the median of all differences, and its interval from Mann-Whitney order
/// statistics.
struct Shift {
  double shift = 0;
  double low = 0;
  double high = 0;
};
Shift hodges_lehmann(std::span<const double> a, std::span<const double> b,
                     double confidence = 0.95);

/// P(b > a) - P(b < a), from -1 to 1.
double cliffs_delta(std::span<const double> a, std::span<const double> b);

/// False-discovery rates for p-values, in the same order (not-a-number stays and does not count).
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace tactus
