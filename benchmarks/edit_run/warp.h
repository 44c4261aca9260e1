#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tactus::edit_run {

/// Maps old times to new ones: linear between the points that are known, with the shift of the
/// nearest point before the first and behind the last. Times never go backwards.
class Warp {
 public:
  /// Points come in the order of their old times.
  void add(std::int64_t old_ns, std::int64_t new_ns) {
    if (!points_.empty()) new_ns = std::max(new_ns, points_.back().new_ns);
    points_.push_back({old_ns, new_ns});
  }

  std::int64_t at(std::int64_t time_ns) const {
    if (points_.empty()) return time_ns;
    const auto after =
        std::upper_bound(points_.begin(), points_.end(), time_ns,
                         [](std::int64_t time, const Point& point) { return time < point.old_ns; });
    if (after == points_.begin()) return time_ns + points_.front().shift();
    const Point& before = *(after - 1);
    const std::int64_t shifted = time_ns + before.shift();
    if (after == points_.end() || after->shift() == before.shift()) return shifted;
    const auto share = static_cast<double>(time_ns - before.old_ns) /
                       static_cast<double>(after->old_ns - before.old_ns);
    return shifted + std::llround(share * static_cast<double>(after->shift() - before.shift()));
  }

 private:
  struct Point {
    std::int64_t old_ns;
    std::int64_t new_ns;
    std::int64_t shift() const { return new_ns - old_ns; }
  };
  std::vector<Point> points_;
};

}  // namespace tactus::edit_run
