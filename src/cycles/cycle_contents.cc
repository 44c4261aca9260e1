#include "cycles/cycle_contents.h"

#include <algorithm>
#include <array>

#include "base/arithmetic.h"
#include "base/interval.h"
#include "cycles/phases/cycle_phases.h"
#include "run/event_view.h"

namespace tactus {
namespace {

constexpr std::int32_t kNoCycle = -1;

/// Finds the window of a time. Most look-ups come in the order of time.
class WindowFinder {
 public:
  using Time = std::int64_t CycleWindow::*;

  /// `windows` are those of one loop; the first is cycle `first`.
  WindowFinder(std::span<const CycleWindow> windows, std::size_t first, Time from, Time to)
      : first_(first) {
    for (const CycleWindow& window : windows) {
      froms_.push_back(window.*from);
      tos_.push_back(window.*to);
    }
  }

  std::int32_t at(std::int64_t time) {
    if (!is_in(time)) {
      if (last_ + 1 < froms_.size() && time >= froms_[last_ + 1] &&
          (last_ + 2 >= froms_.size() || time < froms_[last_ + 2])) {
        ++last_;
      } else {
        const auto after = std::upper_bound(froms_.begin(), froms_.end(), time);
        if (after == froms_.begin()) return kNoCycle;
        last_ = static_cast<std::size_t>(after - froms_.begin()) - 1;
      }
    }
    return is_in(time) ? static_cast<std::int32_t>(first_ + last_) : kNoCycle;
  }

 private:
  bool is_in(std::int64_t time) const {
    return last_ < froms_.size() && time >= froms_[last_] && time < tos_[last_];
  }

  std::size_t first_;
  std::vector<std::int64_t> froms_;
  std::vector<std::int64_t> tos_;
  std::size_t last_ = 0;
};

std::vector<WindowFinder> finders(std::span<const CycleWindow> windows, std::size_t loops,
                                  WindowFinder::Time from, WindowFinder::Time to) {
  std::vector<WindowFinder> found;
  std::size_t first = 0;
  for (std::size_t loop = 0; loop < loops; ++loop) {
    std::size_t end = first;
    while (end < windows.size() && windows[end].loop == loop) ++end;
    found.emplace_back(windows.subspan(first, end - first), first, from, to);
    first = end;
  }
  return found;
}

/// Which cycle each piece of device work belongs to, and from when to when each cycle had some.
std::vector<DeviceSpan> assign_device_work(const Loops& loops, const LoopPasses& passes,
                                           std::span<const CycleWindow> windows, Cycles& into) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].end_kernel == 0) continue;
    const std::vector<std::uint32_t>& rows = passes.streams[windows[i].loop]->stream.rows;
    for (std::size_t k = windows[i].first_kernel; k < windows[i].end_kernel; ++k) {
      into.cycle_of_slice[rows[k]] = static_cast<std::int32_t>(i);
    }
  }
  std::vector<WindowFinder> by_launch =
      finders(windows, loops.loops.size(), &CycleWindow::from_ns, &CycleWindow::to_ns);
  std::vector<DeviceSpan> spans(windows.size());
  for (const DeviceItem& item : loops.work) {
    std::int32_t& cycle = into.cycle_of_slice[item.row];
    if (cycle == kNoCycle) cycle = by_launch[item.loop].at(item.at_ns);
    if (cycle == kNoCycle) continue;
    DeviceSpan& span = spans[static_cast<std::size_t>(cycle)];
    span.start_ns = std::min(span.start_ns, item.start_ns);
    span.end_ns = std::max(span.end_ns, item.end_ns);
  }
  return spans;
}

/// The busy time of cycles whose work does not come in the order of time.
void sort_and_add_up(const Loops& loops, std::span<const BusyTime> times, Cycles& into) {
  std::vector<std::vector<Interval>> stretches(times.size());
  for (const DeviceItem& item : loops.work) {
    const std::int32_t cycle = into.cycle_of_slice[item.row];
    if (cycle == kNoCycle || times[static_cast<std::size_t>(cycle)].in_order()) continue;
    stretches[static_cast<std::size_t>(cycle)].push_back({item.start_ns, item.end_ns});
  }
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (times[i].in_order()) continue;
    std::sort(stretches[i].begin(), stretches[i].end(),
              [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; });
    BusyTime time;
    for (const Interval& stretch : stretches[i]) time.add(stretch);
    into.cycles[i].gpu_busy_ns = time.busy_ns();
  }
}

void add_up_device_work(const Loops& loops, Cycles& into) {
  // Sources write the streams of a device one after the other, or in the order of time.
  std::vector<BusyTime> times(into.cycles.size());
  for (const DeviceItem& item : loops.work) {
    const std::int32_t cycle = into.cycle_of_slice[item.row];
    if (cycle == kNoCycle) continue;
    const auto at = static_cast<std::size_t>(cycle);
    if (item.is_kernel) ++into.cycles[at].launches;
    times[at].add({item.start_ns, item.end_ns});
  }
  bool in_order = true;
  for (std::size_t i = 0; i < times.size(); ++i) {
    into.cycles[i].gpu_busy_ns = times[i].busy_ns();
    in_order = in_order && times[i].in_order();
  }
  if (!in_order) sort_and_add_up(loops, times, into);
}

/// Work that no host launched belongs to the turn of the host's loop in which it starts.
void add_other_slices(const Run& run, const Loops& loops, std::span<const CycleWindow> windows,
                      Cycles& into) {
  const std::vector<std::uint32_t> loop_of_process = loops_of_processes(run, loops);
  std::vector<std::uint32_t> loop_of(run.tracks.size(), kNoLoop);
  for (std::uint32_t track = 0; track < run.tracks.size(); ++track) {
    loop_of[track] = loop_of_process[process_of_track(run, track)];
  }
  std::vector<WindowFinder> by_time =
      finders(windows, loops.loops.size(), &CycleWindow::from_ns, &CycleWindow::to_ns);
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kLeaveOut, [](SliceKind kind) { return !is_device_work(kind); },
      std::array{&slices.track(), &slices.start()},
      [&](std::size_t row, SliceKind, const auto& values) {
        const auto track = static_cast<std::size_t>(values[0]);
        if (track >= loop_of.size() || loop_of[track] == kNoLoop) return;
        into.cycle_of_slice[row] = by_time[loop_of[track]].at(values[1]);
      });
}

}  // namespace

void fill_cycles(const Run& run, const Loops& loops, const LoopPasses& passes, bool are_layers,
                 std::span<CycleWindow> windows, Cycles& cycles) {
  cycles.cycle_of_slice.assign(run.slices.size(), kNoCycle);
  cycles.cycles.clear();
  if (windows.empty()) return;
  settle_times(assign_device_work(loops, passes, windows, cycles), are_layers, windows);
  for (const CycleWindow& window : windows) {
    cycles.cycles.push_back({.start_ns = window.start_ns,
                             .dur_ns = wrapping_subtract(window.end_ns, window.start_ns),
                             .complete = window.complete,
                             .process = loops.loops[window.loop].process});
    set_work(window.work, cycles.cycles.back());
  }
  add_up_device_work(loops, cycles);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::size_t untimed = count_between(loops.loops[windows[i].loop].untimed_at_ns,
                                              windows[i].from_ns, windows[i].to_ns);
    if (untimed == 0) continue;
    cycles.cycles[i].launches += static_cast<std::int64_t>(untimed);
    cycles.cycles[i].gpu_busy_ns = 0;  // not known
  }
  add_other_slices(run, loops, windows, cycles);
}

void mark_cut_steps(const LoopPasses& passes, Cycles& cycles) {
  for (const StreamPasses* of : passes.streams) {
    if (of == nullptr) continue;
    std::size_t layers = 0;
    for (const Pass& pass : of->passes) layers = std::max(layers, pass.complete ? pass.layers : 0);
    const auto cycle_of = [&](const Pass& pass) {
      return cycles.cycle_of_slice[of->stream.rows[(pass.layers_first + pass.layers_end) / 2]];
    };
    const auto mark = [&](const Pass& pass, const Pass& neighbour) {
      const std::int32_t cycle = cycle_of(pass);
      // A step that also holds another pass is longer than the part that was cut.
      if (cycle == kNoCycle || pass.complete || pass.layers >= layers) return;
      if (&pass != &neighbour && cycle == cycle_of(neighbour)) return;
      cycles.cycles[static_cast<std::size_t>(cycle)].complete = false;
    };
    const std::vector<Pass>& all = of->passes;
    mark(all.front(), all[std::min<std::size_t>(1, all.size() - 1)]);
    mark(all.back(), all[all.size() < 2 ? 0 : all.size() - 2]);
  }
}

}  // namespace tactus
