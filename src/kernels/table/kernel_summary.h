#pragma once

#include "kernels/trace/kernel_instances.h"

namespace tactus {

/// Kernels by name with their times; rows by total time, equal ones by name. A run that is a
/// kernel summary already is given back as it is.
KernelTable summarise_kernels(const Run& run, const SliceFilter& filter);
/// The same for kernels that have been picked already.
KernelTable kernels_by_name(const Run& run, const KernelInstances& kernels);

}  // namespace tactus
