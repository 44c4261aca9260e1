#pragma once

#include <cstdint>
#include <span>

namespace tactus {

/// The summary of a list of durations, as tables show it. Averages are cut to whole ns.
struct DurationSummary {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t avg_ns = 0;
  std::int64_t med_ns = 0;  ///< the mean of the middle two for an even count
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  std::int64_t stddev_ns = 0;  ///< of the sample (n - 1); 0 for one value
  std::int64_t p90_ns = 0;
  std::int64_t p99_ns = 0;
};

/// The value with a given share of the values below it, linear between neighbours (as in numpy and
/// pandas). Reorders the values. They must not be empty.
double quantile(std::span<std::int64_t> values, double share);

/// Reorders the values.
DurationSummary summarise(std::span<std::int64_t> durations_ns);

}  // namespace tactus
