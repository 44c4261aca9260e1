#pragma once

#include <cstdint>
#include <span>

#include "cycles/cycles.h"
#include "cycles/windows/cycle_windows.h"

namespace tactus {

/// First start to last end of what a cycle had done on devices.
struct DeviceSpan {
  std::int64_t start_ns = INT64_MAX;
  std::int64_t end_ns = INT64_MIN;

  bool empty() const { return end_ns < start_ns; }
};

/// Puts cycles that the host marks to the time of the device: a host that runs ahead launches a
/// prefill in no time and then waits for it in the next step, so that its own times show the wrong
/// step as the long one. Each step lasts to the start of the next, or to its own end before a
/// pause; each layer to its own end. `spans` are those of the windows.
void settle_times(std::span<const DeviceSpan> spans, bool are_layers,
                  std::span<CycleWindow> windows);

/// Turns windows into cycles: which slices belong to each, its launches and its time on devices.
/// The windows are by loop, then by time; those that the host marks are put to the device's time.
void fill_cycles(const Run& run, const Loops& loops, const LoopPasses& passes, bool are_layers,
                 std::span<CycleWindow> windows, Cycles& cycles);

/// A step at the edge of a loop is cut if its pass has fewer layers than others.
void mark_cut_steps(const LoopPasses& passes, Cycles& cycles);

}  // namespace tactus
