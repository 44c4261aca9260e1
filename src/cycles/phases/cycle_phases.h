#pragma once

#include <span>

#include "cycles/cycles.h"
#include "cycles/windows/cycle_windows.h"
#include "names/decoded_names.h"

namespace tactus {

/// What the engine's annotations say about cycles: phase, batch and tokens.
void add_annotations(const Run& run, std::span<const CycleWindow> windows, Cycles& cycles);

/// True if a cycle has no phase yet.
bool lacks_phases(const Cycles& cycles);

/// Gives phases to cycles that have none: from their Python functions ("forward_extend"), else from
/// the passes whose kernels they launched, else from their own kernels.
void add_phases(const Run& run, const LoopPasses& passes, DecodedNames& names, Cycles& cycles);
/// What is known about the work of a cycle; weaker evidence does not overrule what it has.
void set_work(const StepWork& work, Cycle& cycle);

}  // namespace tactus
