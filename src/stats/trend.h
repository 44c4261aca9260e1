#pragma once

#include <span>
#include <vector>

namespace tactus {

/// A straight line through values in the order of time.
struct Trend {
  double growth = 0;      ///< from the first value to the last
  bool is_clear = false;  ///< beyond what neighbours that are alike make by chance
};
Trend trend_of(std::span<const double> values);

/// The values around what they drift along (lines through quarters of them, as a drift need not be
/// straight), moved to their mean: they differ as much as values of one time do.
std::vector<double> around_trend(std::span<const double> values);

}  // namespace tactus
