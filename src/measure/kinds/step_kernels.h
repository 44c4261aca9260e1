#pragma once

#include <vector>

#include "measure/kinds/frequencies.h"
#include "measure/measurement.h"

namespace tactus {

constexpr double kSameKernels = 0.5;  ///< steps that share half of their kernels are of one kind

/// Kernels of each step of a rank by name and size of their grid, in factors of 2. Without grids,
/// only those whose name depends on the size of the work: all others have the same names in all
/// phases.
std::vector<Frequencies> kernels_of_steps(const Measurement& measurement, std::size_t rank);

}  // namespace tactus
