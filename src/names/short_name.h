#pragma once

#include <string>

#include "names/kernel_name.h"

namespace tactus {

/// The short name of a kernel: without namespaces, template arguments and parameters, and without
/// the wrapper around it. Generic kernels also say what they compute:
///
///   FlashAttnFwdSm90, act_and_mul_kernel, elementwise_kernel (mul), nvjet_tst_128x8_...
std::string short_kernel_name(std::string_view name, const KernelName& decoded);

}  // namespace tactus
