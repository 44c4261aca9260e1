#pragma once

#include "kernels/trace/kernel_instances.h"

namespace tactus {

/// Kernels by name with their times; rows by total time, equal ones by name. If the run is a kernel
/// summary, it is returned unchanged.
KernelTable summarise_kernels(const Run& run, const SliceFilter& filter);
/// The same for kernels that are already selected.
KernelTable kernels_by_name(const Run& run, const KernelInstances& kernels);

}  // namespace tactus
