#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "launches/launch_sites.h"

namespace tactus {

/// A call of a module of the model, as a host thread shows it.
struct ModuleCall {
  std::uint32_t row = kNoRow;     ///< of run.slices: a Python frame or a range
  std::uint32_t parent = kNoRow;  ///< index of the call around it; always smaller than its own
};

/// Calls of modules, and the innermost one around each launch.
struct ModuleCalls {
  std::vector<ModuleCall> calls;
  std::vector<std::uint32_t> of_kernel;  ///< by kernel: index of calls, kNoRow if it has none
};

/// `calls` are rows of run.slices that are calls of modules. `points` are rows by kernel: the call
/// that launched it, or the op that it belongs to. Of Python frames, the ids of the frames say what
/// called what; the times say it where there are no ids.
ModuleCalls nest_module_calls(const Run& run, std::span<const std::uint32_t> calls,
                              std::span<const std::uint32_t> points);

/// By kernel: for one that the backward pass launched, the op of the forward pass that it belongs
/// to (a row of run.slices), else kNoRow. Autograd gives both the same sequence number.
std::vector<std::uint32_t> forward_ops(const Run& run, std::span<const LaunchSite> sites);

}  // namespace tactus
