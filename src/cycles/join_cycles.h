#pragma once

#include <cstddef>
#include <vector>

#include "cycles/cycles.h"

namespace tactus {

/// Makes one cycle of every `count` consecutive ones that begin at one of `firsts`. These are
/// indices of Cycles::cycles at least `count` apart, each group within one process. Other cycles
/// are removed; their slices then belong to no cycle.
void join_cycles(std::size_t count, const std::vector<std::size_t>& firsts, Cycles& cycles);

}  // namespace tactus
