#pragma once

#include <string>

#include "bounds/kernel_bounds.h"
#include "kernels/kernel_report.h"

namespace tactus {

/// The text under a kernel table on the terminal: families, structure, who launched, bounds,
/// groups, hints. Lines are cut to `width` characters (0 for no limit).
std::string kernels_remarks(const KernelReport& report, const KernelBounds& bounds,
                            std::size_t width);

}  // namespace tactus
