#pragma once

#include <span>

#include "cycles/cycles.h"
#include "cycles/windows/cycle_windows.h"

namespace tactus {

/// What the engine's annotations say of cycles: phase, batch and tokens.
void add_annotations(const Run& run, std::span<const CycleWindow> windows, Cycles& cycles);

/// True if a cycle has no phase yet.
bool lacks_phases(const Cycles& cycles);

/// Gives phases to cycles that have none: by the Python functions in them ("forward_extend"), else
/// by the passes whose kernels they launched, else by the time that their kernels took.
void add_phases(const Run& run, const LoopPasses& passes, Cycles& cycles);

}  // namespace tactus
