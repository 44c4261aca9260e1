#pragma once

#include <string>
#include <vector>

#include "judge/counter_shifts.h"
#include "measure/time_window.h"

namespace tactus {

/// A stretch of a recording in which a counter was at a level that the other recording never had.
struct CounterWindow {
  std::string counter;
  std::string device;
  TimeWindow window;
  double strength = 0;  ///< how far the level is from the nearest one of the other recording
};

/// The stretches of `of` in which a counter that can show a cause does harm, the farthest first.
/// Those that last for the whole recording are left out: they are a shift of all of it.
std::vector<CounterWindow> counter_windows(const CounterSide& other, const CounterSide& of);

}  // namespace tactus
