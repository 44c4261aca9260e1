#pragma once

#include <cstdint>
#include <span>

#include "cycles/windows/cycle_windows.h"

namespace tactus {

/// First start to last end of a cycle's work on devices.
struct DeviceSpan {
  std::int64_t start_ns = INT64_MAX;
  std::int64_t end_ns = INT64_MIN;

  bool empty() const { return end_ns < start_ns; }
};

/// Moves cycles that the host marks to device time. A host that runs ahead launches a prefill
/// quickly and then waits for it in the next step, so host times show the wrong step as the long
/// one. Each step lasts to the start of the next, or to its own end before a pause; each layer
/// lasts to its own end. `spans` are those of the windows.
void settle_times(std::span<const DeviceSpan> spans, bool are_layers,
                  std::span<CycleWindow> windows);

}  // namespace tactus
