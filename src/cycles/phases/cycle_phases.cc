#include "cycles/phases/cycle_phases.h"

#include <algorithm>
#include <array>

#include "base/arithmetic.h"
#include "cycles/phases/step_annotation.h"
#include "names/python_frame.h"
#include "run/event_view.h"
#include "stats/summary.h"

namespace tactus {
namespace {

using Votes = std::array<std::size_t, 4>;  ///< by Phase

/// Calls f(row, name) for the own slices of a kind.
template <class F>
void for_each_of_kind(const Run& run, SliceKind kind, F&& f) {
  for_each_slice(
      run, Captures::kLeaveOut, [&](SliceKind other) { return other == kind; },
      std::array{&run.slices.name()},
      [&](std::size_t row, SliceKind, const auto& values) {
        const auto name = static_cast<std::uint64_t>(values[0]);
        if (name < run.strings.size()) f(row, static_cast<std::uint32_t>(name));
      });
}

/// The cycle that a host range announces: for cycles found from kernels, the one that begins in it;
/// else the one that contains it.
std::int32_t cycle_of_range(const Run& run, std::span<const CycleWindow> windows,
                            const Cycles& cycles, std::size_t row) {
  if (windows.empty()) return -1;
  if (windows.front().end_kernel == 0) return cycles.cycle_of_slice[row];
  const std::int64_t start = run.slices.start()[row];
  const std::int64_t end = wrapping_add(start, run.slices.dur()[row]);
  const auto track = static_cast<std::uint64_t>(run.slices.track()[row]);
  if (track >= run.tracks.size()) return -1;
  const std::uint32_t process = process_of_track(run, static_cast<std::uint32_t>(track));
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (cycles.cycles[i].process != process) continue;
    if (windows[i].from_ns >= start && windows[i].from_ns < end) {
      return static_cast<std::int32_t>(i);
    }
  }
  return -1;
}

/// Functions that engines run in one phase only. A word like "decode" alone says nothing: texts and
/// metadata are decoded in every step.
Phase phase_of_function(std::string_view function) {
  if (const std::size_t dot = function.rfind('.'); dot != std::string_view::npos) {
    function.remove_prefix(dot + 1);
  }
  for (const std::string_view name : {"forward_extend", "forward_prefill", "forward_split_prefill",
                                      "prefill_step", "run_prefill"}) {
    if (function == name) return Phase::kPrefill;
  }
  for (const std::string_view name : {"forward_decode", "decode_step", "run_decode"}) {
    if (function == name) return Phase::kDecode;
  }
  return Phase::kUnknown;
}

/// The phase with most votes; mixed if neither is negligible.
Phase elected(const Votes& votes) {
  const std::size_t prefill = votes[static_cast<std::size_t>(Phase::kPrefill)];
  const std::size_t decode = votes[static_cast<std::size_t>(Phase::kDecode)];
  const std::size_t mixed = votes[static_cast<std::size_t>(Phase::kMixed)];
  if (prefill + decode + mixed == 0) return Phase::kUnknown;
  if (mixed > prefill + decode || 4 * std::min(prefill, decode) > prefill + decode) {
    return Phase::kMixed;
  }
  return prefill > decode ? Phase::kPrefill : Phase::kDecode;
}

void set_elected(const std::vector<Votes>& votes, Cycles& cycles) {
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (cycles.cycles[i].phase == Phase::kUnknown) cycles.cycles[i].phase = elected(votes[i]);
  }
}

void add_by_functions(const Run& run, Cycles& cycles) {
  constexpr std::uint8_t kNotLookedAt = 255;
  std::vector<std::uint8_t> known(run.strings.size(), kNotLookedAt);
  std::vector<Votes> votes(cycles.cycles.size());
  for_each_of_kind(run, SliceKind::kPython, [&](std::size_t row, std::uint32_t name) {
    std::uint8_t& phase = known[name];
    if (phase == kNotLookedAt) {
      const PythonFrame frame = read_python_frame(run.strings[StringId(name)]);
      phase = static_cast<std::uint8_t>(phase_of_function(frame.function));
    }
    const std::int32_t cycle = cycles.cycle_of_slice[row];
    if (phase != 0 && cycle >= 0) ++votes[static_cast<std::size_t>(cycle)][phase];
  });
  set_elected(votes, cycles);
}

void add_by_passes(const LoopPasses& passes, Cycles& cycles) {
  std::vector<Votes> votes(cycles.cycles.size());
  for (const StreamPasses* of : passes.streams) {
    if (of == nullptr) continue;
    for (const Pass& pass : of->passes) {
      for (std::size_t i = pass.first; i < pass.end; ++i) {
        const std::int32_t cycle = cycles.cycle_of_slice[of->stream.rows[i]];
        if (cycle < 0) continue;
        ++votes[static_cast<std::size_t>(cycle)][static_cast<std::size_t>(pass.phase)];
      }
    }
  }
  set_elected(votes, cycles);
}

/// With as many kernels, prompts keep the device busy much longer. Device time is compared, because
/// the host may be late for other reasons.
void add_by_durations(Cycles& cycles) {
  std::vector<std::int64_t> busy, launches;
  for (const Cycle& cycle : cycles.cycles) {
    if (cycle.phase != Phase::kUnknown) return;
    if (!cycle.complete || cycle.launches == 0) continue;
    busy.push_back(cycle.gpu_busy_ns);
    launches.push_back(cycle.launches);
  }
  if (busy.size() < 3) return;
  const double usual_busy = quantile(busy, 0.5);
  const double usual_launches = quantile(launches, 0.5);
  const auto is_long = [&](const Cycle& cycle) {
    return static_cast<double>(cycle.gpu_busy_ns) > 3 * usual_busy &&
           static_cast<double>(cycle.launches) < 1.25 * usual_launches;
  };
  if (std::none_of(cycles.cycles.begin(), cycles.cycles.end(), is_long)) return;
  for (Cycle& cycle : cycles.cycles) {
    if (!cycle.complete || cycle.launches == 0) continue;
    cycle.phase = is_long(cycle) ? Phase::kPrefill : Phase::kDecode;
  }
}

}  // namespace

void add_annotations(const Run& run, std::span<const CycleWindow> windows, Cycles& cycles) {
  for (const SliceKind kind : {SliceKind::kAnnotation, SliceKind::kGpuAnnotation}) {
    bool found = false;
    for_each_of_kind(run, kind, [&](std::size_t row, std::uint32_t name) {
      const std::optional<StepAnnotation> step = parse_step_annotation(run.strings[StringId(name)]);
      if (!step) return;
      const std::int32_t at = cycle_of_range(run, windows, cycles, row);
      if (at < 0) return;
      found = true;
      Cycle& cycle = cycles.cycles[static_cast<std::size_t>(at)];
      if (step->phase != Phase::kUnknown && !cycle.batch) cycle.phase = step->phase;
      if (!cycle.batch) cycle.batch = step->batch;
      if (!cycle.context_tokens) cycle.context_tokens = step->context_tokens;
      if (!cycle.generation_tokens) cycle.generation_tokens = step->generation_tokens;
    });
    if (found) return;
  }
}

bool lacks_phases(const Cycles& cycles) {
  return std::any_of(cycles.cycles.begin(), cycles.cycles.end(),
                     [](const Cycle& cycle) { return cycle.phase == Phase::kUnknown; });
}

void add_phases(const Run& run, const LoopPasses& passes, Cycles& cycles) {
  add_by_functions(run, cycles);
  if (lacks_phases(cycles)) add_by_passes(passes, cycles);
  if (lacks_phases(cycles)) add_by_durations(cycles);
}

}  // namespace tactus
