#pragma once

#include <span>

#include "cycles/cycles.h"
#include "cycles/windows/cycle_windows.h"

namespace tactus {

/// Turns windows into cycles: which slices belong to each, its launches and its time on devices.
/// The windows are by loop, then by time; those that the host marks are put to the device's time.
void fill_cycles(const Run& run, const Loops& loops, const LoopPasses& passes, bool are_layers,
                 std::span<CycleWindow> windows, Cycles& cycles);

/// Steps at the edges of a loop are cut where their pass has fewer layers than others.
void mark_cut_steps(const LoopPasses& passes, Cycles& cycles);

}  // namespace tactus
