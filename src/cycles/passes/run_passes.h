#pragma once

#include <vector>

#include "cycles/passes/passes.h"
#include "run/filter.h"
#include "run/run.h"

namespace tactus {

struct StreamPasses {
  KernelStream stream;
  std::vector<Pass> passes;
};

/// The passes of all streams with kernels, the stream with most passes first. If the engine
/// annotated its steps, the annotation gives their phase.
std::vector<StreamPasses> passes_of_run(const Run& run, const SliceFilter& filter,
                                        DecodedNames& names);

/// The phase of each slice by its row. kUnknown for slices that are not kernels, for kernels that
/// are not wanted, and for kernels without an annotation or pass that gives a phase.
std::vector<Phase> phase_of_kernels(const Run& run, const SliceFilter& filter, DecodedNames& names);

}  // namespace tactus
