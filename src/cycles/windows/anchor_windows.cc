#include <algorithm>

#include "base/arithmetic.h"
#include "cycles/anchors/anchor_choice.h"
#include "cycles/windows/cycle_windows.h"
#include "stats/summary.h"

namespace tactus {
namespace {

std::int64_t median_of(std::vector<std::int64_t> values) {
  return values.empty() ? 0 : static_cast<std::int64_t>(quantile(values, 0.5));
}

/// The usual values in a loop.
struct Beat {
  std::int64_t gap_ns = 0;   ///< from one anchor's end to the next
  std::int64_t kernels = 0;  ///< launched by an anchor
  std::int64_t most_kernels = 0;
};

Beat beat_of(const Loop& loop, const std::vector<AnchorInstance>& anchors) {
  std::vector<std::int64_t> gaps, kernels;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    kernels.push_back(static_cast<std::int64_t>(
        count_between(loop.kernels_at_ns, anchors[i].start_ns, anchors[i].end_ns)));
    if (i == 0) continue;
    gaps.push_back(wrapping_subtract(anchors[i].start_ns, anchors[i - 1].end_ns));
  }
  Beat beat;
  beat.gap_ns = median_of(gaps);
  if (!kernels.empty()) beat.most_kernels = *std::max_element(kernels.begin(), kernels.end());
  beat.kernels = median_of(kernels);
  return beat;
}

CycleWindow window(std::uint32_t loop, std::int64_t start, std::int64_t end, bool complete) {
  return {.loop = loop,
          .start_ns = start,
          .end_ns = end,
          .from_ns = start,
          .to_ns = end,
          .usual_to_ns = end,
          .complete = complete};
}

/// A step at an edge: its anchor is not in the recording, but its kernels are.
class CutSteps {
 public:
  CutSteps(const Loop& loop, std::uint32_t index, const Beat& beat, const LoopPasses* passes)
      : loop_(loop), index_(index), beat_(beat), passes_(passes) {}

  void add_before(std::int64_t first_start, std::vector<CycleWindow>& windows) const {
    const std::size_t kernels = count_between(loop_.kernels_at_ns, INT64_MIN, first_start);
    if (!is_step(kernels, INT64_MIN, first_start)) return;
    windows.push_back(window(index_, loop_.kernels_at_ns.front(), first_start, false));
  }
  void add_behind(std::int64_t last_end, std::vector<CycleWindow>& windows) const {
    const std::size_t kernels = count_between(loop_.kernels_at_ns, last_end, INT64_MAX);
    if (!is_step(kernels, last_end, INT64_MAX)) return;
    const std::int64_t first = loop_.kernels_at_ns[loop_.kernels_at_ns.size() - kernels];
    windows.push_back(window(index_, first, wrapping_add(loop_.kernels_at_ns.back(), 1), false));
  }

 private:
  bool is_step(std::size_t kernels, std::int64_t from_ns, std::int64_t to_ns) const {
    if (kernels == 0) return false;
    if (passes_ != nullptr) {
      const std::vector<PassMark>& marks = passes_->marks[index_];
      return std::any_of(marks.begin(), marks.end(), [&](const PassMark& mark) {
        return mark.first_at_ns >= from_ns && mark.last_at_ns < to_ns;
      });
    }
    // Less is work between steps, more is not a single step.
    const auto count = static_cast<std::int64_t>(kernels);
    return count * 10 >= beat_.kernels && count * 4 <= beat_.most_kernels * 5;
  }

  const Loop& loop_;
  std::uint32_t index_;
  const Beat& beat_;
  const LoopPasses* passes_;
};

/// The first and the last step are cut if they launch far less than the others. A prefill may
/// launch much less than a decode step.
bool is_whole(const Loop& loop, const Beat& beat, const std::vector<AnchorInstance>& anchors,
              std::size_t i) {
  if (anchors[i].is_cut) return false;
  const bool at_edge = i == 0 || i + 1 == anchors.size();
  if (!at_edge || anchors.size() < 3) return true;
  const auto kernels = static_cast<std::int64_t>(
      count_between(loop.kernels_at_ns, anchors[i].start_ns, anchors[i].end_ns));
  return kernels * 2 >= beat.kernels;
}

void add_steps(const Loop& loop, const std::vector<AnchorInstance>& anchors, const Beat& beat,
               std::uint32_t index, std::vector<CycleWindow>& windows) {
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const std::int64_t usual_end = wrapping_add(anchors[i].end_ns, beat.gap_ns);
    const std::int64_t end = i + 1 < anchors.size() ? anchors[i + 1].start_ns : usual_end;
    windows.push_back(window(index, anchors[i].start_ns, end, is_whole(loop, beat, anchors, i)));
    windows.back().usual_to_ns = std::min(end, usual_end);
    windows.back().named_to_ns = anchors[i].end_ns;
  }
}

}  // namespace

std::vector<CycleWindow> windows_of_anchor(const Anchor& anchor, const Loops& loops,
                                           const LoopPasses* passes) {
  std::vector<CycleWindow> windows;
  for (const auto& [loop, anchors] : anchor.loops) {
    const Beat beat = beat_of(loops.loops[loop], anchors);
    const CutSteps cut(loops.loops[loop], loop, beat, passes);
    cut.add_before(anchors.front().start_ns, windows);
    add_steps(loops.loops[loop], anchors, beat, loop, windows);
    cut.add_behind(windows.back().end_ns, windows);
  }
  return windows;
}

std::vector<CycleWindow> layer_windows_of_anchor(const Anchor& anchor, const Loops& loops) {
  std::vector<CycleWindow> windows;
  for (const auto& [loop, anchors] : anchor.loops) {
    const Beat beat = beat_of(loops.loops[loop], anchors);
    for (std::size_t i = 0; i < anchors.size(); ++i) {
      windows.push_back(window(loop, anchors[i].start_ns, anchors[i].end_ns,
                               is_whole(loops.loops[loop], beat, anchors, i)));
    }
  }
  return windows;
}

}  // namespace tactus
