#include "edit_run/effects.h"

#include <array>

#include "names/decoded_names.h"
#include "run/event_view.h"
#include "run/filter.h"

namespace tactus::edit_run {
namespace {

/// Whether the work is of the kind that is edited; fills and waits never are.
bool is_meant(const WorkEdit& edit, SliceKind kind) {
  if (edit.of_copies) return kind == SliceKind::kMemcpy;
  return kind == SliceKind::kKernel || kind == SliceKind::kGraph;
}

/// Multiplies the factors of all work that the edit means.
Status apply(const WorkEdit& edit, const Run& run, const Steps& steps, DecodedNames& names,
             std::vector<double>& factors) {
  const std::vector<bool> is_wanted = wanted_tracks(run, {.rank = edit.rank});
  std::size_t edited = 0;
  for_each_slice(
      run, Captures::kLeaveOut, [&](SliceKind kind) { return is_meant(edit, kind); },
      std::array{&run.slices.name(), &run.slices.track()},
      [&](std::size_t row, SliceKind, const auto& values) {
        const auto track = static_cast<std::size_t>(values[1]);
        if (track >= is_wanted.size() || !is_wanted[track]) return;
        const Step* step = steps.of_slice(row);
        if (edit.from_step && (step == nullptr || step->number < *edit.from_step)) return;
        if (edit.phase) {
          const std::int32_t cycle = steps.cycles.cycle_of_slice[row];
          if (cycle < 0) return;
          if (steps.cycles.cycles[static_cast<std::size_t>(cycle)].phase != *edit.phase) return;
        }
        const auto name = static_cast<std::uint32_t>(values[0]);
        if (edit.family && names.of(name).family != *edit.family) return;
        factors[row] *= edit.factor;
        ++edited;
      });
  if (edited != 0) return {};
  return usage_error(edit.text + ": the run has nothing that this would change");
}

}  // namespace

Result<Effects> effects_of(const Run& run, const Steps& steps, const Edits& edits) {
  if ((!edits.drifts.empty() || !edits.stalls.empty()) && steps.steps.empty()) {
    return usage_error("drift and stall need steps, and none were found");
  }
  Effects effects{.work_factor = std::vector<double>(run.slices.size(), 1),
                  .gap_factor = {},
                  .sleep_ns = {},
                  .gap_factor_outside = edits.gaps,
                  .launch_factor = edits.launches};
  DecodedNames names(run);
  for (const WorkEdit& edit : edits.work) {
    if (Status status = apply(edit, run, steps, names, effects.work_factor); !status) {
      return status.error();
    }
  }
  for (const Step& step : steps.steps) {
    double factor = edits.gaps;
    for (const double drift : edits.drifts) factor *= 1 + (drift - 1) * step.progress;
    effects.gap_factor.push_back(factor);
    std::int64_t sleep_ns = 0;
    for (const Stall& stall : edits.stalls) {
      if (step.number >= 0 && (step.number + 1) % stall.every == 0) sleep_ns += stall.sleep_ns;
    }
    effects.sleep_ns.push_back(sleep_ns);
  }
  return effects;
}

}  // namespace tactus::edit_run
