#pragma once

#include <span>

#include "cycles/cycle_windows.h"
#include "cycles/cycles.h"

namespace tactus {

/// Turns windows into cycles: which slices belong to each, its launches and its time on devices.
/// The windows are by loop, then by time. Their phases are taken as they are.
void fill_cycles(const Run& run, const Loops& loops, const LoopPasses& passes,
                 std::span<const CycleWindow> windows, Cycles& cycles);

}  // namespace tactus
