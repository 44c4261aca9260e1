#pragma once

#include <cstddef>
#include <vector>

#include "cycles/cycles.h"

namespace tactus {

/// Removes cycles that are not wanted; their slices then belong to no cycle.
void keep_cycles(const std::vector<bool>& is_kept, Cycles& cycles);

void keep_times(const SliceFilter& filter, Cycles& cycles);
void keep_phase(Phase phase, Cycles& cycles);
/// Removes the first cycles of each process.
void skip_warmup(std::size_t count, Cycles& cycles);

}  // namespace tactus
