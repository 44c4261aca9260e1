#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "launches/kernel_instances.h"

namespace tactus {

/// Which slices lie inside which, per host thread.
struct Nesting {
  std::vector<std::uint32_t> parent;     ///< by scope: index of the scope around it, kNoRow if none
  std::vector<std::uint32_t> innermost;  ///< by point: index of the scope around it, kNoRow if none
};

/// `scopes` and `points` are rows of run.slices in any order; a point may be kNoRow or occur often.
/// A scope that reaches out of another one belongs to it if more than half of it lies inside:
/// clocks are rounded, but siblings may overlap a little for the same reason.
Nesting nest(const Run& run, std::span<const std::uint32_t> scopes,
             std::span<const std::uint32_t> points);

}  // namespace tactus
