#pragma once

#include <cmath>
#include <cstdint>

namespace tactus {

// How far correct arithmetic in fp32 may be from exact arithmetic. docs/operators.md explains the
// constants and lists what each operator allows.

inline constexpr double kEpsFp32 = 0x1p-24;  ///< half a unit in the last place, relative
inline constexpr double kEpsBf16 = 0x1p-9;
inline constexpr double kEpsFp16 = 0x1p-11;

/// A sum of `terms` numbers whose absolute values add up to `magnitude`, in fp32, in any reasonable
/// order: rounding errors of a running sum grow with the square root of its length.
inline double sum_slack(double magnitude, std::int64_t terms) {
  return kEpsFp32 * magnitude * (4 + 0.25 * std::sqrt(static_cast<double>(terms)));
}

/// The same for positive numbers only: a running sum always grows, and the squares of normal
/// numbers, many of them tiny, make it too small: by 172 at most in 300 sums of 8192, by 97 in sums
/// of 2048, where the root is 91 and 45.
inline double positive_sum_slack(double sum, std::int64_t terms) {
  return kEpsFp32 * sum * (4 + 3 * std::sqrt(static_cast<double>(terms)));
}

/// A value after a few roundings in fp32 (an exponential counts as several).
inline double fp32_slack(double value, double roundings = 8) {
  return kEpsFp32 * std::fabs(value) * roundings;
}

}  // namespace tactus
