#pragma once

#include <span>
#include <vector>

#include "cycles/passes/run_passes.h"
#include "kernels/launch_groups.h"
#include "kernels/structure.h"
#include "launches/kernel_instances.h"
#include "launches/launch_sites.h"
#include "run/filter.h"
#include "run/run.h"

namespace tactus {

/// What the kernels of a trace say about the program that launched them. Of several devices, the
/// one with most passes speaks for all: the ranks of a model run the same passes side by side.
Structure structure_of_trace(const Run& run, const SliceFilter& filter, RunPasses& passes);

/// Launch groups of a trace: kernels that one call of an op (or one Python frame, where there is
/// no op) put on a stream one right after the other, and the decoder layer, which repeats.
/// `sites` belong to `kernels`.
std::vector<LaunchGroup> groups_of_trace(const Run& run, const KernelInstances& kernels,
                                         std::span<const LaunchSite> sites,
                                         std::span<const StreamPasses> streams,
                                         DecodedNames& names);

}  // namespace tactus
