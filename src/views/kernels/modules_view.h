#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "views/common/json.h"
#include "views/kernels/kernels_view.h"

namespace tactus {

/// GPU time by module, as a tree. `table` sums up the same kernels by name.
std::string show_modules(const ModuleTree& tree, const KernelTable& table,
                         const KernelsViewOptions& options);

/// The rows to show, in the order of the tree: the `top` with most time (0 for all), with all that
/// enclose them, and what runs outside.
std::vector<std::size_t> modules_shown(const ModuleTree& tree, std::size_t top);

Json module_json(const ModuleRow& row, std::int64_t total_ns);

}  // namespace tactus
