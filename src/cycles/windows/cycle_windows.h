#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cycles/anchors/anchors.h"
#include "cycles/passes/loop_passes.h"
#include "names/decoded_names.h"

namespace tactus {

/// The time of a cycle, and the work that belongs to it.
struct CycleWindow {
  std::uint32_t loop = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t from_ns = 0;  ///< work that the host launches in [from, to) belongs to the cycle
  std::int64_t to_ns = 0;
  std::int64_t usual_to_ns = 0;  ///< where the host's turn ends if a pause follows
  std::int64_t named_to_ns = 0;  ///< where the host's range that marks the step ends
  /// Nothing of the host was recorded from there until the next step.
  bool is_silent_behind = false;
  bool complete = true;
  StepWork work;
  std::size_t first_kernel = 0;  ///< [first, end) of the loop's stream of passes are its work,
  std::size_t end_kernel = 0;    ///< whenever they were launched
};

/// Whether the device idles behind a step for so long that the server may have had no requests: for
/// longer than several steps, and several times as long as that step kept the device.
inline bool is_pause(std::int64_t gap_ns, double usual_period_ns, std::int64_t on_device_ns) {
  constexpr double kTimes = 5;
  const double longest = std::max(usual_period_ns, static_cast<double>(on_device_ns));
  return static_cast<double>(gap_ns) >= kTimes * longest;
}

/// A step lasts from its anchor to the next one, so the steps of a loop leave no gap; the last one
/// lasts as long as usual. A pass that was launched before the first anchor or after the last is a
/// step that the recording cut. If passes are unknown (null), the number of kernels decides. Sorted
/// by loop, then by time.
std::vector<CycleWindow> windows_of_anchor(const Anchor& anchor, const Loops& loops,
                                           const LoopPasses* passes);

/// Marks the windows of an anchor of annotations behind which the process recorded nothing until
/// the next one begins. Where a recording has no launches, silence says nothing.
void mark_silence(const Run& run, const Loops& loops, std::span<CycleWindow> windows);

/// Layers last as long as their anchors do.
std::vector<CycleWindow> layer_windows_of_anchor(const Anchor& anchor, const Loops& loops);

/// From the first kernel of a pass to that of the next, or to its own end before a pause.
std::vector<CycleWindow> windows_of_passes(const LoopPasses& passes, const Loops& loops);

/// The layers of the passes; `names` shows where their attention is.
std::vector<CycleWindow> layer_windows_of_passes(const LoopPasses& passes, const Loops& loops,
                                                 DecodedNames& names);

}  // namespace tactus
