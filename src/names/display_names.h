#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "names/kernel_name.h"

namespace tactus {

/// Short names of kernels for people, as short_kernel_name gives them. Different kernels never have
/// the same one: what tells them apart is added, such as types, tile or template arguments.
/// `decoded` are the names decoded.
std::vector<std::string> display_names(std::span<const std::string_view> names,
                                       std::span<const KernelName> decoded);

}  // namespace tactus
