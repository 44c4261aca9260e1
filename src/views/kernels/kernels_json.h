#pragma once

#include <string>

#include "bounds/kernel_bounds.h"
#include "kernels/kernel_report.h"

namespace tactus {

/// The report as JSON with the first `top` rows (0 for all). `run` is its source.
std::string kernels_json(const KernelReport& report, const KernelBounds& bounds, const Run& run,
                         std::size_t top);

}  // namespace tactus
