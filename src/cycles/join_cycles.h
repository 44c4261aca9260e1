#pragma once

#include <cstddef>
#include <vector>

#include "cycles/cycles.h"

namespace tactus {

/// Makes one cycle of each `count` consecutive ones that begin at one of `firsts`, indices of
/// Cycles::cycles that rise by `count` at least and stay in one process. Other cycles are left out;
/// their slices then belong to none.
void join_cycles(std::size_t count, const std::vector<std::size_t>& firsts, Cycles& cycles);

}  // namespace tactus
