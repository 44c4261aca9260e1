#include "stats/summary.h"

#include <algorithm>
#include <cmath>

#include "base/arithmetic.h"
#include "base/check.h"

namespace tactus {

namespace {

/// The quantile of values of which those before `done` are in their places: no larger than the
/// rest. Moves `done` up to the place it looked at, so that the next, higher quantile has less to
/// do.
double next_quantile(std::span<std::int64_t> values, double share, std::size_t& done) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin() + static_cast<std::ptrdiff_t>(done), at, values.end());
  done = below;
  const auto low = static_cast<double>(*at);
  const double rest = place - static_cast<double>(below);
  if (rest == 0) return low;
  const auto high = static_cast<double>(*std::min_element(at + 1, values.end()));
  return low + (high - low) * rest;
}

}  // namespace

double quantile(std::span<std::int64_t> values, double share) {
  CHECK(!values.empty());
  std::size_t done = 0;
  return next_quantile(values, share, done);
}

DurationSummary summarise(std::span<std::int64_t> durations_ns) {
  DurationSummary summary;
  if (durations_ns.empty()) return summary;
  summary.count = static_cast<std::int64_t>(durations_ns.size());
  summary.min_ns = summary.max_ns = durations_ns.front();
  for (const std::int64_t dur : durations_ns) {
    summary.min_ns = std::min(summary.min_ns, dur);
    summary.max_ns = std::max(summary.max_ns, dur);
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
  std::size_t done = 0;
  summary.med_ns = static_cast<std::int64_t>(next_quantile(durations_ns, 0.5, done));
  summary.p90_ns = static_cast<std::int64_t>(next_quantile(durations_ns, 0.9, done));
  summary.p99_ns = static_cast<std::int64_t>(next_quantile(durations_ns, 0.99, done));
  return summary;
}

}  // namespace tactus
