#pragma once

#include <string>

#include "kernels/kernel_pairs.h"
#include "views/kernels/kernels_view.h"

namespace tactus {

/// Two kernel tables side by side, operator by operator.
std::string show_kernel_pairs(const KernelPairs& pairs, const Run& a, const Run& b,
                              const KernelsViewOptions& options);

}  // namespace tactus
