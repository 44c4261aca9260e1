#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cycles/cycles.h"
#include "edit_run/edits.h"

namespace tactus::edit_run {

/// One step: a cycle of the run, and its place in the block of steps that is edited.
struct Step {
  std::int64_t number = 0;  ///< in its process, from the first step of the block; negative before
  double progress = 0;      ///< 0 at the first step of the block, 1 at the last
  bool is_kept = true;      ///< it is in the block
};

struct Steps {
  Cycles cycles;
  std::vector<Step> steps;  ///< by cycle

  std::size_t kept() const;
  /// The step of a slice; nothing if it belongs to none.
  const Step* of_slice(std::size_t row) const {
    const std::int32_t cycle = cycles.cycle_of_slice[row];
    return cycle < 0 ? nullptr : &steps[static_cast<std::size_t>(cycle)];
  }
};

Result<Steps> find_steps(const Run& run, const std::optional<StepBlock>& block);

}  // namespace tactus::edit_run
