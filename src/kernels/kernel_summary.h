#pragma once

#include "run/filter.h"
#include "run/run.h"

namespace tactus {

/// Kernels by name with their times; rows by total time, equal ones by name. A run that is a
/// kernel summary already is given back as it is.
KernelTable summarise_kernels(const Run& run, const SliceFilter& filter);

}  // namespace tactus
