#pragma once

#include <string>

#include "kernels/kernel_report.h"

namespace tactus {

/// What stands under a kernel table on the terminal: families, structure, who launched, groups,
/// hints. Lines are cut to `width` characters (0 for no limit).
std::string kernels_remarks(const KernelReport& report, std::size_t width);

}  // namespace tactus
