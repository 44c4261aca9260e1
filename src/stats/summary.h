#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/median.h"

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

/// The middle value; of an even number the mean of the middle two. Not-a-numbers do not count; of
/// nothing it is not-a-number.
double median(std::vector<double> values);

/// The value below which half of the weight lies, of pairs of value and weight; nothing of none.
std::optional<double> weighted_median(std::vector<std::pair<double, double>> values);

/// Reorders the values.
DurationSummary summarise(std::span<std::int64_t> durations_ns);

}  // namespace tactus
