#pragma once

#include <memory>

#include "measure/counter_values.h"
#include "measure/measurement.h"

namespace tactus {

/// A stretch of a recording, in its own time.
struct TimeWindow {
  std::int64_t begin_ns = INT64_MIN;
  std::int64_t end_ns = INT64_MAX;  ///< not part of it

  bool contains(std::int64_t ns) const { return ns >= begin_ns && ns < end_ns; }
};

/// The steps that begin in a window, as a measurement of their own. `of` must outlive it.
std::unique_ptr<Measurement> steps_in(TimeWindow window, const Measurement& of);

/// The samples of a counter in a window; how densely they lie is that of the whole recording.
CounterValues samples_in(TimeWindow window, const CounterValues& of);

}  // namespace tactus
