#pragma once

#include <span>

#include "cycles/cycles.h"
#include "cycles/windows/cycle_windows.h"

namespace tactus {

/// Turns windows into cycles: the slices of each, its launches and its time on devices. Windows are
/// sorted by loop, then by time; windows that the host marks are moved to device time.
void fill_cycles(const Run& run, const Loops& loops, const LoopPasses& passes, bool are_layers,
                 std::span<CycleWindow> windows, Cycles& cycles);

/// A step at the edge of a loop is cut if its pass has fewer layers than others.
void mark_cut_steps(const LoopPasses& passes, Cycles& cycles);

}  // namespace tactus
