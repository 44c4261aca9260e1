#pragma once

#include <string>

#include "bounds/kernel_bounds.h"

namespace tactus {

/// "41% memory": how near to its bound, and what the bound is.
std::string bound_cell(const KernelBound& bound);

/// How much of the run has a bound, how near it is to it, and why the rest has none. Empty for a
/// kernel table, which never has any.
std::string bounds_summary(const KernelReport& report, const KernelBounds& bounds);

/// What to work on first, in a sentence; empty where nothing can be won.
std::string first_gain(const KernelReport& report, const KernelBounds& bounds);

}  // namespace tactus
