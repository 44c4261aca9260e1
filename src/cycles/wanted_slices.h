#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/interval.h"
#include "cycles/cycles.h"
#include "run/filter.h"

namespace tactus {

/// What a question is about: slices that the filter takes and, if steps are given, that belong to
/// one of these.
struct WantedSlices {
  SliceFilter filter;
  const Cycles* steps = nullptr;

  /// Whether a slice is wanted, as to steps.
  bool has_slice(std::size_t row) const {
    return steps == nullptr ||
           (row < steps->cycle_of_slice.size() && steps->cycle_of_slice[row] >= 0);
  }
};

/// When what is wanted may be, for what belongs to no step by itself: marks and samples.
class WantedTimes {
 public:
  explicit WantedTimes(const WantedSlices& wanted)
      : filter_(wanted.filter), has_steps_(wanted.steps != nullptr) {
    if (!has_steps_) return;
    std::vector<Interval> steps;
    for (const Cycle& step : wanted.steps->cycles) {
      steps.push_back({step.start_ns, wrapping_add(step.start_ns, step.dur_ns)});
    }
    steps_ = joined(std::move(steps));
  }

  bool takes(std::int64_t ns) const {
    if (!filter_.takes(ns)) return false;
    if (!has_steps_) return true;
    const auto next =
        std::upper_bound(steps_.begin(), steps_.end(), ns,
                         [](std::int64_t at, const Interval& step) { return at < step.begin_ns; });
    return next != steps_.begin() && ns < std::prev(next)->end_ns;
  }

 private:
  SliceFilter filter_;
  bool has_steps_ = false;
  std::vector<Interval> steps_;
};

}  // namespace tactus
