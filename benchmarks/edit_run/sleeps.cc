#include "edit_run/sleeps.h"

#include <algorithm>
#include <array>

#include "base/interval.h"
#include "run/event_view.h"

namespace tactus::edit_run {
namespace {

/// By loop: the framework ops of the main thread that no other op contains.
std::vector<std::vector<Interval>> outer_ops(const Run& run, const Recording& recording) {
  std::vector<std::vector<Interval>> ops(recording.loops.size());
  for_each_slice(
      run, Captures::kLeaveOut, [](SliceKind kind) { return kind == SliceKind::kCpuOp; },
      std::array<const Column*, 0>{},
      [&](std::size_t row, SliceKind, const auto&) {
        const std::uint32_t loop = recording.loop_of_main_track[recording.track[row]];
        if (loop == kNone) return;
        ops[loop].push_back({recording.start_ns[row], recording.end_ns[row]});
      });
  for (std::vector<Interval>& of_loop : ops) {
    std::sort(of_loop.begin(), of_loop.end(),
              [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; });
    std::int64_t until = INT64_MIN;
    std::erase_if(of_loop, [&](const Interval& op) {
      const bool is_inner = op.begin_ns < until;
      until = std::max(until, op.end_ns);
      return is_inner;
    });
  }
  return ops;
}

/// By step: when the main thread began to launch its work; INT64_MAX if it did not.
std::vector<std::int64_t> first_launches(const Recording& recording, const Steps& steps) {
  std::vector<std::int64_t> first(steps.steps.size(), INT64_MAX);
  for (const Work& work : recording.work) {
    const std::int32_t cycle = steps.cycles.cycle_of_slice[work.row];
    if (cycle < 0 || work.call == kNone) continue;
    if (recording.track[work.call] != recording.loops[work.loop].main_track) continue;
    std::int64_t& at = first[static_cast<std::size_t>(cycle)];
    at = std::min(at, recording.start_ns[work.call]);
  }
  return first;
}

std::int64_t start_of_op_around(const std::vector<Interval>& ops, std::int64_t time_ns) {
  const auto after =
      std::upper_bound(ops.begin(), ops.end(), time_ns,
                       [](std::int64_t time, const Interval& op) { return time < op.begin_ns; });
  if (after == ops.begin() || (after - 1)->end_ns <= time_ns) return time_ns;
  return (after - 1)->begin_ns;
}

}  // namespace

std::vector<std::vector<Sleep>> find_sleeps(const Run& run, const Recording& recording,
                                            const Steps& steps, const Effects& effects) {
  std::vector<std::vector<Sleep>> sleeps(recording.loops.size());
  const auto is_asleep = [](std::int64_t sleep_ns) { return sleep_ns != 0; };
  if (std::none_of(effects.sleep_ns.begin(), effects.sleep_ns.end(), is_asleep)) return sleeps;
  const std::vector<std::vector<Interval>> ops = outer_ops(run, recording);
  const std::vector<std::int64_t> first = first_launches(recording, steps);
  const std::vector<Cycle>& cycles = steps.cycles.cycles;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (effects.sleep_ns[i] == 0 || first[i] == INT64_MAX) continue;
    for (std::size_t loop = 0; loop < recording.loops.size(); ++loop) {
      if (recording.loops[loop].process != cycles[i].process) continue;
      std::int64_t at = start_of_op_around(ops[loop], first[i]);
      // An op that launches several steps: the host sleeps inside.
      if (i > 0 && cycles[i - 1].process == cycles[i].process && at <= first[i - 1]) at = first[i];
      sleeps[loop].push_back({at, effects.sleep_ns[i]});
    }
  }
  return sleeps;
}

}  // namespace tactus::edit_run
