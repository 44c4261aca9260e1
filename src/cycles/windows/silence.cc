#include <algorithm>
#include <array>
#include <vector>

#include "base/arithmetic.h"
#include "cycles/windows/cycle_windows.h"
#include "run/event_view.h"

namespace tactus {
namespace {

/// The times between the named steps of one loop. Most look-ups come in the order of time.
struct Gaps {
  std::vector<std::size_t> windows;  ///< behind which they are
  std::vector<std::int64_t> from_ns;
  std::vector<std::int64_t> to_ns;
  std::size_t last = 0;

  void add(std::size_t window, std::int64_t from, std::int64_t to) {
    windows.push_back(window);
    from_ns.push_back(from);
    to_ns.push_back(to);
  }
  /// The window before the gap in which this time is; SIZE_MAX if it is in none, or at its edge.
  std::size_t before(std::int64_t time) {
    const bool is_near =
        time >= from_ns[last] && (last + 1 == from_ns.size() || time < from_ns[last + 1]);
    if (!is_near) {
      const auto after = std::upper_bound(from_ns.begin(), from_ns.end(), time);
      if (after == from_ns.begin()) return SIZE_MAX;
      last = static_cast<std::size_t>(after - from_ns.begin()) - 1;
    }
    return time > from_ns[last] && time < to_ns[last] ? windows[last] : SIZE_MAX;
  }
};

/// Nothing shows how long the gap behind the last step is. If most are silent, so is that one.
void mark_last(std::span<CycleWindow> windows, std::size_t loops) {
  std::vector<std::size_t> steps(loops, 0), silent(loops, 0);
  for (const CycleWindow& window : windows) {
    ++steps[window.loop];
    silent[window.loop] += window.is_silent_behind ? 1 : 0;
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    CycleWindow& window = windows[i];
    const bool is_last = i + 1 == windows.size() || windows[i + 1].loop != window.loop;
    if (!is_last || window.named_to_ns == 0) continue;
    window.is_silent_behind = 2 * silent[window.loop] >= steps[window.loop];
  }
}

}  // namespace

void mark_silence(const Run& run, const Loops& loops, std::span<CycleWindow> windows) {
  std::vector<Gaps> gaps(loops.loops.size());
  for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
    CycleWindow& window = windows[i];
    const CycleWindow& next = windows[i + 1];
    if (next.loop != window.loop || !loops.loops[window.loop].track) continue;
    if (window.named_to_ns == 0 || next.named_to_ns == 0) continue;  // it was cut
    if (next.from_ns <= window.named_to_ns) continue;
    window.is_silent_behind = true;
    gaps[window.loop].add(i, window.named_to_ns, next.from_ns);
  }
  const std::vector<std::uint32_t> loop_of_process = loops_of_processes(run, loops);
  std::vector<Gaps*> gaps_of(run.tracks.size(), nullptr);
  bool has_gaps = false;
  for (std::uint32_t track = 0; track < run.tracks.size(); ++track) {
    const std::uint32_t loop = loop_of_process[process_of_track(run, track)];
    if (run.tracks[track].on_device || loop == kNoLoop || gaps[loop].windows.empty()) continue;
    gaps_of[track] = &gaps[loop];
    has_gaps = true;
  }
  if (!has_gaps) return;
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kLeaveOut,
      [](SliceKind kind) { return !runs_on_device(kind) && kind != SliceKind::kOverhead; },
      std::array{&slices.track(), &slices.start(), &slices.dur()},
      [&](std::size_t, SliceKind, const auto& values) {
        const auto track = static_cast<std::size_t>(values[0]);
        if (track >= gaps_of.size() || gaps_of[track] == nullptr) return;
        // What lasts longer than the gap on both sides does not tell what happened in it.
        for (const std::int64_t time : {values[1], wrapping_add(values[1], values[2])}) {
          const std::size_t window = gaps_of[track]->before(time);
          if (window != SIZE_MAX) windows[window].is_silent_behind = false;
        }
      });
  mark_last(windows, loops.loops.size());
}

}  // namespace tactus
