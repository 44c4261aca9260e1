#include "sources/fit_clock.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "base/arithmetic.h"
#include "base/median.h"

namespace tactus {
namespace {

constexpr std::size_t kFewestForDrift = 30;
constexpr double kLargestCrystalDrift = 5e-4;  // computer clocks are better than 200 ppm

std::int64_t median_delta(std::span<const ClockPoint> points) {
  std::vector<std::int64_t> deltas;
  for (const ClockPoint& point : points) deltas.push_back(point.delta_ns);
  return upper_median(std::move(deltas));
}

}  // namespace

std::int64_t distance_ns(const ClockPoint& point, const Clock& clock) {
  const std::int64_t mapped = wrapping_subtract(clock.to_run(point.at_ns), point.at_ns);
  return std::abs(wrapping_subtract(point.delta_ns, mapped));
}

std::int64_t residual_of(const ClockPoints& points, const Clock& clock) {
  std::vector<std::int64_t> distances;
  for (const ClockPoint& point : points) distances.push_back(distance_ns(point, clock));
  return upper_median(std::move(distances));
}

Clock fit_line(const ClockPoints& points) {
  Clock clock{.offset_ns = median_delta(points), .points = points.size(), .method = "collectives"};
  clock.residual_ns = residual_of(points, clock);
  if (points.size() < kFewestForDrift) return clock;
  const std::size_t third = points.size() / 3;
  const std::span<const ClockPoint> first = std::span(points).first(third);
  const std::span<const ClockPoint> last = std::span(points).last(third);
  const std::int64_t apart = wrapping_subtract(last[third / 2].at_ns, first[third / 2].at_ns);
  if (apart <= 0) return clock;
  const auto growth =
      static_cast<double>(wrapping_subtract(median_delta(last), median_delta(first)));
  const double drift = growth / static_cast<double>(apart);
  if (!(std::abs(drift) <= kLargestCrystalDrift)) return clock;
  clock.drift = drift;
  clock.since_ns = points[points.size() / 2].at_ns;
  // The line of the ends, then its height.
  std::vector<std::int64_t> heights;
  for (const ClockPoint& point : points) {
    const auto passed = static_cast<double>(wrapping_subtract(point.at_ns, clock.since_ns));
    heights.push_back(
        wrapping_subtract(point.delta_ns, static_cast<std::int64_t>(std::llround(drift * passed))));
  }
  clock.offset_ns = upper_median(std::move(heights));
  clock.residual_ns = residual_of(points, clock);
  return clock;
}

Clock fit_clock(const ClockPoints& points) {
  Clock drifting = fit_line(points);
  if (drifting.drift == 0) return drifting;
  Clock steady{.offset_ns = median_delta(points), .points = points.size(), .method = "collectives"};
  steady.residual_ns = residual_of(points, steady);
  return 2 * *drifting.residual_ns < *steady.residual_ns ? drifting : steady;
}

}  // namespace tactus
