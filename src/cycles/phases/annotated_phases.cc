#include "cycles/phases/annotated_phases.h"

#include "cycles/phases/annotated_ranges.h"
#include "cycles/phases/step_annotation.h"

namespace tactus {

std::vector<Phase> annotated_phases(const Run& run, std::span<const KernelStream> streams) {
  const AnnotatedRanges<Phase> annotations =
      annotated_ranges<Phase>(run, [&](std::uint32_t name) -> std::optional<Phase> {
        const Phase phase = phase_of_annotation(run.strings[StringId(name)]);
        if (phase == Phase::kUnknown) return std::nullopt;
        return phase;
      });
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
  const AnnotatedRanges<std::uint32_t> annotations =
      annotated_ranges<std::uint32_t>(run, [&](std::uint32_t name) -> std::optional<std::uint32_t> {
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
