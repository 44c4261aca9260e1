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

/// The passes of all streams that have kernels, the one with most of them first. Where the engine
/// annotated its steps, the annotation says their phase.
std::vector<StreamPasses> passes_of_run(const Run& run, const SliceFilter& filter,
                                        DecodedNames& names);

/// The phase of each slice by its row: kUnknown for what is no kernel, for kernels that are not
/// wanted, and for those of which neither an annotation nor the pass around them tells it.
std::vector<Phase> phase_of_kernels(const Run& run, const SliceFilter& filter, DecodedNames& names);

}  // namespace tactus
