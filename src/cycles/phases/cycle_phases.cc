#include "cycles/phases/cycle_phases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/arithmetic.h"
#include "cycles/phases/phase_functions.h"
#include "cycles/phases/step_annotation.h"
#include "cycles/phases/unit_work.h"
#include "run/event_view.h"

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

/// Finds the cycle that a host range announces: for cycles found from kernels, the one that begins
/// in it; else the one that contains it.
class CyclesOfRanges {
 public:
  CyclesOfRanges(const Run& run, std::span<const CycleWindow> windows, const Cycles& cycles)
      : run_(run),
        windows_(windows),
        cycles_(cycles),
        from_kernels_(!windows.empty() && windows.front().end_kernel != 0) {
    for (std::size_t i = 0; from_kernels_ && i < windows.size(); ++i) {
      const auto [at, is_new] = of_process_.try_emplace(cycles.cycles[i].process, i, i);
      at->second.second = i + 1;
    }
  }

  /// -1 if there is none.
  std::int32_t of(std::size_t row) const {
    if (windows_.empty()) return -1;
    if (!from_kernels_) return cycles_.cycle_of_slice[row];
    const std::int64_t start = run_.slices.start()[row];
    const std::int64_t end = wrapping_add(start, run_.slices.dur()[row]);
    const auto track = static_cast<std::uint64_t>(run_.slices.track()[row]);
    if (track >= run_.tracks.size()) return -1;
    const auto own = of_process_.find(process_of_track(run_, static_cast<std::uint32_t>(track)));
    if (own == of_process_.end()) return -1;
    const auto [first, past] = own->second;
    const std::span<const CycleWindow> windows = windows_.subspan(first, past - first);
    const auto at = std::lower_bound(
        windows.begin(), windows.end(), start,
        [](const CycleWindow& window, std::int64_t time_ns) { return window.from_ns < time_ns; });
    if (at == windows.end() || at->from_ns >= end) return -1;
    return static_cast<std::int32_t>(at - windows_.begin());
  }

 private:
  const Run& run_;
  std::span<const CycleWindow> windows_;
  const Cycles& cycles_;
  bool from_kernels_;
  std::unordered_map<std::uint32_t, std::pair<std::size_t, std::size_t>> of_process_;
};

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

void set_elected(const std::vector<Votes>& votes, Evidence evidence, Cycles& cycles) {
  for (std::size_t i = 0; i < votes.size(); ++i) {
    Cycle& cycle = cycles.cycles[i];
    if (cycle.phase != Phase::kUnknown) continue;
    cycle.phase = elected(votes[i]);
    if (cycle.phase != Phase::kUnknown) cycle.evidence = evidence;
  }
}

void add_by_functions(const Run& run, Cycles& cycles) {
  PhasesOfFunctions functions(run);
  std::vector<Votes> votes(cycles.cycles.size());
  for_each_of_kind(run, SliceKind::kPython, [&](std::size_t row, std::uint32_t name) {
    const Phase phase = functions.of(name);
    const std::int32_t cycle = cycles.cycle_of_slice[row];
    if (phase == Phase::kUnknown || cycle < 0) return;
    ++votes[static_cast<std::size_t>(cycle)][static_cast<std::size_t>(phase)];
  });
  set_elected(votes, Evidence::kEngine, cycles);
}

/// The work of the pass that has most of a cycle's kernels; several passes of different phases make
/// it a mixed one. Cycles with a part of a pass are marked in `is_cut_across` instead: their ends
/// and those of the passes do not fit.
void add_by_passes(const LoopPasses& passes, Cycles& cycles, std::vector<bool>& is_cut_across) {
  struct Part {
    const Pass* pass = nullptr;
    std::size_t kernels = 0;
    std::size_t passes = 0;  ///< in the cycle, as the next
    std::size_t layers = 0;
  };
  std::vector<Votes> votes(cycles.cycles.size());
  std::vector<Part> largest(cycles.cycles.size());
  const std::size_t layers = passes.usual_layers();
  for (const StreamPasses* of : passes.streams) {
    if (of == nullptr) continue;
    for (const Pass& pass : of->passes) {
      std::map<std::int32_t, std::size_t> in_cycle;
      for (std::size_t i = pass.first; i < pass.end; ++i) {
        const std::int32_t cycle = cycles.cycle_of_slice[of->stream.rows[i]];
        if (cycle >= 0) ++in_cycle[cycle];
      }
      for (const auto& [cycle, kernels] : in_cycle) {
        const auto at = static_cast<std::size_t>(cycle);
        votes[at][static_cast<std::size_t>(pass.work.phase)] += kernels;
        Part& part = largest[at];
        ++part.passes;
        part.layers += pass.layers;
        if (kernels > part.kernels) {
          part.pass = &pass;
          part.kernels = kernels;
        }
        if (kernels < pass.end - pass.first || !pass.complete) is_cut_across[at] = true;
      }
    }
  }
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (largest[i].pass == nullptr) continue;
    // Passes that have only as many layers together as one has are parts of one.
    if (largest[i].passes > 1 && largest[i].layers <= layers) is_cut_across[i] = true;
    if (is_cut_across[i]) continue;
    StepWork work = largest[i].pass->work;
    work.phase = elected(votes[i]);
    set_work(work, cycles.cycles[i]);
  }
}

/// Where passes do not tell, the kernels of each cycle do.
void add_by_kernels(const Run& run, DecodedNames& names, const std::vector<bool>& wanted,
                    Cycles& cycles) {
  UnitKernels kernels;
  kernels.count = cycles.cycles.size();
  for_each_of_kind(run, SliceKind::kKernel, [&](std::size_t row, std::uint32_t name) {
    const std::int32_t cycle = cycles.cycle_of_slice[row];
    if (cycle < 0 || !wanted[static_cast<std::size_t>(cycle)]) return;
    kernels.rows.push_back(static_cast<std::uint32_t>(row));
    kernels.names.push_back(name);
    kernels.units.push_back(static_cast<std::uint32_t>(cycle));
  });
  const std::vector<StepWork> work = work_of_units(run, kernels, names);
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (wanted[i]) set_work(work[i], cycles.cycles[i]);
  }
}

}  // namespace

void add_annotations(const Run& run, std::span<const CycleWindow> windows, Cycles& cycles) {
  const CyclesOfRanges ranges(run, windows, cycles);
  for (const SliceKind kind : {SliceKind::kAnnotation, SliceKind::kGpuAnnotation}) {
    bool found = false;
    for_each_of_kind(run, kind, [&](std::size_t row, std::uint32_t name) {
      const std::optional<StepAnnotation> step = parse_step_annotation(run.strings[StringId(name)]);
      if (!step) return;
      const std::int32_t at = ranges.of(row);
      if (at < 0) return;
      found = true;
      Cycle& cycle = cycles.cycles[static_cast<std::size_t>(at)];
      if (step->phase != Phase::kUnknown && !cycle.batch) cycle.phase = step->phase;
      if (!cycle.batch) cycle.batch = step->batch;
      if (!cycle.context_tokens) cycle.context_tokens = step->context_tokens;
      if (!cycle.generation_tokens) cycle.generation_tokens = step->generation_tokens;
      if (!cycle.prompts) cycle.prompts = step->prompts;
      cycle.evidence = Evidence::kEngine;
      if (!cycle.sequences) cycle.sequences = step->batch;
      if (!cycle.context) cycle.context = step->context;
      if (!cycle.tokens && step->context_tokens && step->generation_tokens) {
        cycle.tokens = *step->context_tokens + *step->generation_tokens;
      }
    });
    if (found) return;
  }
}

bool lacks_phases(const Cycles& cycles) {
  return std::any_of(cycles.cycles.begin(), cycles.cycles.end(),
                     [](const Cycle& cycle) { return cycle.phase == Phase::kUnknown; });
}

void set_work(const StepWork& work, Cycle& cycle) {
  const auto whole = [](const std::optional<double>& value) {
    return value ? std::optional(static_cast<std::int64_t>(std::llround(*value))) : std::nullopt;
  };
  if (cycle.evidence < work.evidence && work.phase != Phase::kUnknown) {
    cycle.phase = work.phase;
    cycle.evidence = work.evidence;
  }
  if (!cycle.tokens) cycle.tokens = whole(work.tokens);
  if (!cycle.sequences) cycle.sequences = whole(work.sequences);
  if (!cycle.context) cycle.context = whole(work.context);
}

void add_phases(const Run& run, const LoopPasses& passes, DecodedNames& names, Cycles& cycles) {
  add_by_functions(run, cycles);
  std::vector<bool> by_kernels(cycles.cycles.size(), passes.count() == 0);
  if (passes.count() != 0) add_by_passes(passes, cycles, by_kernels);
  if (std::find(by_kernels.begin(), by_kernels.end(), true) != by_kernels.end()) {
    add_by_kernels(run, names, by_kernels, cycles);
  }
}

}  // namespace tactus
