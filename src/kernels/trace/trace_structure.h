#pragma once

#include "cycles/passes/run_passes.h"
#include "kernels/structure.h"
#include "run/filter.h"
#include "run/run.h"

namespace tactus {

/// What the kernels of a trace say about the program that launched them. Of several devices, the
/// one with most passes speaks for all: the ranks of a model run the same passes side by side.
Structure structure_of_trace(const Run& run, const SliceFilter& filter, RunPasses& passes);

}  // namespace tactus
