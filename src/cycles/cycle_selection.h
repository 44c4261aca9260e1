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

/// Makes one cycle of each `count` consecutive ones that begin at one of `firsts`, indices of
/// Cycles::cycles that rise by `count` at least and stay in one process. Other cycles are left out;
/// their slices then belong to none.
void join_cycles(std::size_t count, const std::vector<std::size_t>& firsts, Cycles& cycles);

}  // namespace tactus
