#include "cycles/passes/run_passes.h"

#include <algorithm>
#include <array>

#include "cycles/phases/annotated_phases.h"

namespace tactus {
namespace {

struct AnnotatedPasses {
  std::vector<StreamPasses> streams;
  std::vector<Phase> annotated;  ///< by slice row; empty if there are no annotations
};

/// The annotated phase of most kernels of a pass; its own phase if none is annotated.
Phase phase_of_pass(const StreamPasses& of, const Pass& pass, std::span<const Phase> annotated) {
  std::array<std::size_t, 4> kernels{};
  for (std::size_t i = pass.first; i < pass.end; ++i) {
    ++kernels[static_cast<std::size_t>(annotated[of.stream.rows[i]])];
  }
  kernels[static_cast<std::size_t>(Phase::kUnknown)] = 0;
  const auto most = std::max_element(kernels.begin(), kernels.end());
  return *most == 0 ? pass.phase : static_cast<Phase>(most - kernels.begin());
}

AnnotatedPasses find_annotated(const Run& run, const SliceFilter& filter, DecodedNames& names) {
  AnnotatedPasses found;
  std::vector<KernelStream> streams = kernel_streams(run, filter);
  found.annotated = annotated_phases(run, streams);
  for (KernelStream& stream : streams) {
    std::vector<Pass> passes = find_passes(stream, names);
    found.streams.push_back({std::move(stream), std::move(passes)});
    if (found.annotated.empty()) continue;
    StreamPasses& of = found.streams.back();
    for (Pass& pass : of.passes) pass.phase = phase_of_pass(of, pass, found.annotated);
  }
  return found;
}

}  // namespace

std::vector<StreamPasses> passes_of_run(const Run& run, const SliceFilter& filter,
                                        DecodedNames& names) {
  return find_annotated(run, filter, names).streams;
}

std::vector<Phase> phase_of_kernels(const Run& run, const SliceFilter& filter,
                                    DecodedNames& names) {
  AnnotatedPasses found = find_annotated(run, filter, names);
  std::vector<Phase> phases = std::move(found.annotated);
  phases.resize(run.slices.size(), Phase::kUnknown);
  for (const StreamPasses& of : found.streams) {
    for (const Pass& pass : of.passes) {
      for (std::size_t i = pass.first; i < pass.end; ++i) {
        Phase& phase = phases[of.stream.rows[i]];
        if (phase == Phase::kUnknown) phase = pass.phase;
      }
    }
  }
  return phases;
}

}  // namespace tactus
