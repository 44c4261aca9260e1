#pragma once

#include <string>
#include <vector>

#include "bounds/kernel_bounds.h"
#include "kernels/kernel_report.h"
#include "measure/idle_time.h"

namespace tactus {

/// A sentence about kernels, and what it is about; an empty label is that of the one before.
struct Remark {
  std::string label;
  std::string text;
};

/// Families, structure, who launched, bounds, idle time, groups, hints.
std::vector<Remark> kernel_remarks(const KernelReport& report, const KernelBounds& bounds,
                                   const IdleTime* idle);

/// The text under a kernel table on the terminal: families, structure, who launched, bounds,
/// idle time, groups, hints. Lines are cut to `width` characters (0 for no limit).
std::string kernels_remarks(const KernelReport& report, const KernelBounds& bounds,
                            const IdleTime* idle, std::size_t width);

/// "41% memory": how close it is to its bound, and what sets the bound. ">5% memory" if the bound
/// counts only what is certain.
std::string bound_cell(const KernelBound& bound);

/// "32x4096, 4096x14336 +2": the inputs that take most time, and how many others there are.
std::string shapes_cell(const RowOrigin& origin);

/// How much of the run has a bound, how near it is to it, and why the rest has none. Empty for a
/// kernel table, which never has any.
std::string bounds_summary(const KernelReport& report, const KernelBounds& bounds);

/// What to improve first, in a sentence; empty if there is nothing to gain.
std::string first_gain(const KernelReport& report, const KernelBounds& bounds);

}  // namespace tactus
