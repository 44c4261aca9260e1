#pragma once

#include <cstdint>
#include <vector>

#include "run/clock.h"

namespace tactus {

/// A moment by the clock of a source, and what has to be added to it to get the time by another.
struct ClockPoint {
  std::int64_t at_ns = 0;
  std::int64_t delta_ns = 0;
};
using ClockPoints = std::vector<ClockPoint>;

/// How far a point is from what a clock says.
std::int64_t distance_ns(const ClockPoint& point, const Clock& clock);

/// The usual distance of points, which must not be empty, from what a clock says.
std::int64_t residual_of(const ClockPoints& points, const Clock& clock);

/// The line through points in the order of time, which must not be empty: an offset, and a drift if
/// there are enough to see one. Points that are far off move neither.
Clock fit_line(const ClockPoints& points);

/// An offset, and a drift only if the points show one clearly.
Clock fit_clock(const ClockPoints& points);

}  // namespace tactus
