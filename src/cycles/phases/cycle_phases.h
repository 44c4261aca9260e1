#pragma once

#include <span>

#include "cycles/cycles.h"
#include "cycles/windows/cycle_windows.h"

namespace tactus {

/// What the engine's annotations say about cycles: phase, batch and tokens.
void add_annotations(const Run& run, std::span<const CycleWindow> windows, Cycles& cycles);

/// True if a cycle has no phase yet.
bool lacks_phases(const Cycles& cycles);

/// Gives phases to cycles that have none: from their Python functions ("forward_extend"), else from
/// the passes whose kernels they launched, else from the time of their kernels.
void add_phases(const Run& run, const LoopPasses& passes, Cycles& cycles);

}  // namespace tactus
