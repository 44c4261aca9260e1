#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/arithmetic.h"

namespace tactus {

/// From one time to another.
struct Interval {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// By start; those that overlap or touch as one.
inline std::vector<Interval> joined(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; });
  std::vector<Interval> out;
  for (const Interval& interval : intervals) {
    if (out.empty() || interval.begin_ns > out.back().end_ns) {
      out.push_back(interval);
    } else {
      out.back().end_ns = std::max(out.back().end_ns, interval.end_ns);
    }
  }
  return out;
}

/// The time in which at least one of the intervals runs, which come in the order of their starts.
class BusyTime {
 public:
  void add(const Interval& interval) {
    in_order_ = in_order_ && interval.begin_ns >= last_begin_;
    last_begin_ = interval.begin_ns;
    const std::int64_t from = std::max(until_, interval.begin_ns);
    if (interval.end_ns <= from) return;
    busy_ = wrapping_add(busy_, wrapping_subtract(interval.end_ns, from));
    until_ = interval.end_ns;
  }
  std::int64_t busy_ns() const { return busy_; }
  /// False if one came that starts before another: the time is wrong then.
  bool in_order() const { return in_order_; }

 private:
  std::int64_t last_begin_ = INT64_MIN;
  std::int64_t until_ = INT64_MIN;
  std::int64_t busy_ = 0;
  bool in_order_ = true;
};

}  // namespace tactus
