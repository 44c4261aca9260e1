#include "cycles/passes/run_passes.h"

#include <algorithm>
#include <array>

#include "cycles/phases/annotated_phases.h"
#include "cycles/phases/unit_work.h"

namespace tactus {
namespace {

/// What most of a pass's kernels are annotated with; unknown if none is.
Phase phase_of_pass(const StreamPasses& of, const Pass& pass, std::span<const Phase> annotated) {
  std::array<std::size_t, 4> kernels{};
  for (std::size_t i = pass.first; i < pass.end; ++i) {
    ++kernels[static_cast<std::size_t>(annotated[of.stream.rows[i]])];
  }
  kernels[static_cast<std::size_t>(Phase::kUnknown)] = 0;
  const auto most = std::max_element(kernels.begin(), kernels.end());
  return *most == 0 ? Phase::kUnknown : static_cast<Phase>(most - kernels.begin());
}

/// What the passes of all streams work on.
void set_work(const Run& run, DecodedNames& names, std::span<StreamPasses> streams) {
  UnitKernels kernels;
  for (const StreamPasses& of : streams) {
    for (const Pass& pass : of.passes) {
      for (std::size_t i = pass.first; i < pass.end; ++i) {
        kernels.rows.push_back(of.stream.rows[i]);
        kernels.names.push_back(of.stream.names[i]);
        kernels.units.push_back(static_cast<std::uint32_t>(kernels.count));
      }
      ++kernels.count;
    }
  }
  const std::vector<StepWork> work = work_of_units(run, kernels, names);
  std::size_t next = 0;
  for (StreamPasses& of : streams) {
    for (Pass& pass : of.passes) pass.work = work[next++];
  }
}

}  // namespace

const RunPasses::Found& RunPasses::find(const SliceFilter& filter) {
  for (const Found& found : found_) {
    if (found.filter == filter) return found;
  }
  Found& found = found_.emplace_back();
  found.filter = filter;
  std::vector<KernelStream> streams = kernel_streams(run_, filter);
  found.annotated = annotated_phases(run_, streams);
  AnnotatedSteps annotated(run_);
  for (KernelStream& stream : streams) {
    std::vector<Pass> passes = find_passes(stream, names_, annotated);
    found.streams.push_back({std::move(stream), std::move(passes)});
  }
  set_work(run_, names_, found.streams);
  if (found.annotated.empty()) return found;
  for (StreamPasses& of : found.streams) {
    for (Pass& pass : of.passes) {
      const Phase said = phase_of_pass(of, pass, found.annotated);
      if (said == Phase::kUnknown) continue;
      pass.work.phase = said;
      pass.work.evidence = Evidence::kEngine;
    }
  }
  return found;
}

std::vector<Phase> RunPasses::phases(const SliceFilter& filter) {
  const Found& found = find(filter);
  std::vector<Phase> phases = found.annotated;
  phases.resize(run_.slices.size(), Phase::kUnknown);
  for (const StreamPasses& of : found.streams) {
    for (const Pass& pass : of.passes) {
      for (std::size_t i = pass.first; i < pass.end; ++i) {
        Phase& phase = phases[of.stream.rows[i]];
        if (phase == Phase::kUnknown) phase = pass.work.phase;
      }
    }
  }
  return phases;
}

}  // namespace tactus
