#include "cycles/phases/annotated_phases.h"

#include "cycles/phases/annotated_ranges.h"
#include "cycles/phases/phase_functions.h"
#include "cycles/phases/step_annotation.h"

namespace tactus {

namespace {

/// What the engine says of its steps: annotations, else functions that run in one phase only.
AnnotatedRanges<Phase> ranges_of_phases(const Run& run) {
  const auto known = [](Phase phase) {
    return phase == Phase::kUnknown ? std::nullopt : std::optional(phase);
  };
  AnnotatedRanges<Phase> found =
      annotated_ranges<Phase>(run, is_annotation, [&](std::uint32_t name, SliceKind) {
        return known(phase_of_annotation(run.strings[StringId(name)]));
      });
  if (!found.empty()) return found;
  PhasesOfFunctions functions(run);
  return annotated_ranges<Phase>(
      run, [](SliceKind kind) { return kind == SliceKind::kPython; },
      [&](std::uint32_t name, SliceKind) { return known(functions.of(name)); });
}

}  // namespace

std::vector<Phase> annotated_phases(const Run& run, std::span<const KernelStream> streams) {
  const AnnotatedRanges<Phase> annotations = ranges_of_phases(run);
  if (annotations.empty()) return {};
  std::vector<Phase> launched(run.slices.size(), Phase::kUnknown);
  if (!annotations.host.empty()) {
    for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) {
      launched[work] = annotations.on_host(run, call).value_or(Phase::kUnknown);
    });
  }
  std::vector<Phase> phases(run.slices.size(), Phase::kUnknown);
  for (const KernelStream& stream : streams) {
    for (std::size_t i = 0; i < stream.size(); ++i) {
      Phase& phase = phases[stream.rows[i]];
      phase = launched[stream.rows[i]];
      if (phase != Phase::kUnknown) continue;
      phase = annotations.on_device(run, stream.track, stream.starts[i]).value_or(Phase::kUnknown);
    }
  }
  return phases;
}

std::vector<std::uint32_t> length_annotations(const Run& run,
                                              std::span<const std::uint32_t> kernels) {
  const AnnotatedRanges<std::uint32_t> annotations = annotated_ranges<std::uint32_t>(
      run, is_annotation, [&](std::uint32_t name, SliceKind) -> std::optional<std::uint32_t> {
        if (!parse_step_lengths(run.strings[StringId(name)])) return std::nullopt;
        return name;
      });
  std::vector<std::uint32_t> found(kernels.size(), 0);
  if (annotations.empty()) return found;
  if (!annotations.host.empty()) {
    for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) {
      const auto place = std::lower_bound(kernels.begin(), kernels.end(), work);
      if (place == kernels.end() || *place != work) return;
      found[static_cast<std::size_t>(place - kernels.begin())] =
          annotations.on_host(run, call).value_or(0);
    });
  }
  for (std::size_t i = 0; i < kernels.size() && !annotations.device.empty(); ++i) {
    if (found[i] != 0) continue;
    const auto track = static_cast<std::uint32_t>(run.slices.track()[kernels[i]]);
    found[i] = annotations.on_device(run, track, run.slices.start()[kernels[i]]).value_or(0);
  }
  return found;
}

}  // namespace tactus
