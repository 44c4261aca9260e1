#pragma once

#include <span>

#include "measure/measurement.h"

namespace tactus {

/// Tells steps of unknown phase apart by their kernels and grids: prompts and tokens of a program
/// that says nothing about its steps are of different kinds. Steps of one kind share half of their
/// kernels at least. The kinds of all recordings are paired; MeasuredStep::kind is the same for a
/// pair, 0 for the one with most steps. Without a clear pair for each, all steps stay of one kind:
/// then a program that was changed is compared as a whole.
void find_step_kinds(std::span<Measurement* const> recordings);

}  // namespace tactus
