#include "patterns/busy_time.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "base/arithmetic.h"
#include "base/interval.h"
#include "patterns/function_slices.h"
#include "run/event_view.h"

namespace tactus {
namespace {

/// A slice of a type; by cycle, type and start they are ready to be joined.
struct TypedStretch {
  std::uint32_t cycle = 0;
  FunctionType type = FunctionType::kNone;
  Interval time;
};

/// The time from `begin_ns` to `end_ns` in which nothing of `busy` (by start) ran.
std::int64_t idle_between(std::int64_t begin_ns, std::int64_t end_ns,
                          std::span<const Interval> busy) {
  std::int64_t idle_ns = 0;
  std::int64_t free_from_ns = begin_ns;
  for (const Interval& stretch : busy) {
    if (stretch.begin_ns >= end_ns) break;
    if (stretch.begin_ns > free_from_ns) idle_ns += stretch.begin_ns - free_from_ns;
    free_from_ns = std::max(free_from_ns, stretch.end_ns);
  }
  return free_from_ns < end_ns ? idle_ns + (end_ns - free_from_ns) : idle_ns;
}

void add_type_times(std::vector<TypedStretch>& stretches, std::vector<CycleBusyTime>& times) {
  std::sort(stretches.begin(), stretches.end(), [](const TypedStretch& a, const TypedStretch& b) {
    return std::tie(a.cycle, a.type, a.time.begin_ns) < std::tie(b.cycle, b.type, b.time.begin_ns);
  });
  for (std::size_t i = 0; i < stretches.size();) {
    const TypedStretch& first = stretches[i];
    BusyTime busy;
    for (; i < stretches.size() && stretches[i].cycle == first.cycle &&
           stretches[i].type == first.type;
         ++i) {
      busy.add(stretches[i].time);
    }
    times[first.cycle].ns[static_cast<std::size_t>(first.type)] = busy.busy_ns();
  }
}

/// Device work by the process that it is for, an index of run.processes.
using WorkOfProcess = std::map<std::uint32_t, std::vector<Interval>>;

/// Work outside cycles keeps the device busy too. The track seldom names its process, so it counts
/// for all processes of its source.
void add_work_outside_cycles(const Run& run, const Cycles& cycles, WorkOfProcess& work) {
  for_each_event(run, run.slices, [&](const EventView& event) {
    const bool in_cycle =
        event.row < cycles.cycle_of_slice.size() && cycles.cycle_of_slice[event.row] >= 0;
    if (in_cycle || run.is_captured(event.category) || event.dur_ns <= 0) return;
    if (!is_device_work(run.kind_of(event.category))) return;
    const ProcessId owner = run.threads[run.tracks[event.track].thread.value].process;
    const SourceId source = run.processes[owner.value].source;
    for (auto& [process, stretches] : work) {
      if (process >= run.processes.size() || run.processes[process].source != source) continue;
      stretches.push_back({event.start_ns, wrapping_add(event.start_ns, event.dur_ns)});
    }
  });
}

void add_idle_times(const Cycles& cycles, WorkOfProcess& work, std::vector<CycleBusyTime>& times) {
  for (auto& [process, stretches] : work) stretches = joined(std::move(stretches));
  for (std::size_t i = 0; i < cycles.cycles.size(); ++i) {
    const Cycle& cycle = cycles.cycles[i];
    const std::vector<Interval>& busy = work[cycle.process];
    const auto first = std::lower_bound(
        busy.begin(), busy.end(), cycle.start_ns,
        [](const Interval& stretch, std::int64_t time_ns) { return stretch.end_ns < time_ns; });
    times[i].gpu_idle_ns = idle_between(cycle.start_ns, wrapping_add(cycle.start_ns, cycle.dur_ns),
                                        std::span(first, busy.end()));
  }
}

}  // namespace

std::vector<CycleBusyTime> union_ns_per_cycle(const Run& run, const Cycles& cycles) {
  const FunctionSlices found = function_slices(run, cycles);
  std::vector<TypedStretch> stretches;
  stretches.reserve(found.slices.size());
  WorkOfProcess device_work;
  for (const Cycle& cycle : cycles.cycles) device_work[cycle.process];
  for (const FunctionSlice& slice : found.slices) {
    const CycleFunction& function = found.functions[slice.function];
    const Interval time{slice.start_ns, slice.end_ns()};
    stretches.push_back({slice.cycle, function.type, time});
    if (is_device_work(function.type)) device_work[function.process].push_back(time);
  }
  add_work_outside_cycles(run, cycles, device_work);
  std::vector<CycleBusyTime> times(cycles.cycles.size());
  add_type_times(stretches, times);
  add_idle_times(cycles, device_work, times);
  return times;
}

}  // namespace tactus
