#include "stats/summary.h"

#include <algorithm>
#include <cmath>

#include "base/arithmetic.h"
#include "base/check.h"

namespace tactus {

double quantile(std::span<std::int64_t> values, double share) {
  CHECK(!values.empty());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  const auto low = static_cast<double>(*at);
  const double rest = place - static_cast<double>(below);
  if (rest == 0) return low;
  const auto high = static_cast<double>(*std::min_element(at + 1, values.end()));
  return low + (high - low) * rest;
}

DurationSummary summarise(std::span<std::int64_t> durations_ns) {
  DurationSummary summary;
  if (durations_ns.empty()) return summary;
  summary.count = static_cast<std::int64_t>(durations_ns.size());
  const auto [low, high] = std::minmax_element(durations_ns.begin(), durations_ns.end());
  summary.min_ns = *low;
  summary.max_ns = *high;
  for (const std::int64_t dur : durations_ns) {
    summary.total_ns = wrapping_add(summary.total_ns, dur);
  }
  summary.avg_ns = summary.total_ns / summary.count;

  const auto count = static_cast<double>(summary.count);
  const double mean = static_cast<double>(summary.total_ns) / count;
  double squares = 0;
  for (const std::int64_t dur : durations_ns) {
    const double from_mean = static_cast<double>(dur) - mean;
    squares += from_mean * from_mean;
  }
  if (summary.count > 1) {
    summary.stddev_ns = static_cast<std::int64_t>(std::sqrt(squares / (count - 1)));
  }
  summary.med_ns = static_cast<std::int64_t>(quantile(durations_ns, 0.5));
  summary.p90_ns = static_cast<std::int64_t>(quantile(durations_ns, 0.9));
  summary.p99_ns = static_cast<std::int64_t>(quantile(durations_ns, 0.99));
  return summary;
}

}  // namespace tactus
