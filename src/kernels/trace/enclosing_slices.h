#pragma once

#include <vector>

#include "kernels/trace/launch_sites.h"

namespace tactus {

/// Finds the slices around host calls: ops, Python frames and modules of the same thread.
/// `calls` are rows of run.slices in any order; the result has the same order.
std::vector<LaunchSite> enclosing_slices(const Run& run, std::span<const std::uint32_t> calls);

}  // namespace tactus
