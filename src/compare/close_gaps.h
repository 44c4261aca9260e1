#pragma once

#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// Puts what lies between the cycles of one process and belongs to none to the cycle before it,
/// which then lasts to the start of the next, or to its own end before a pause. The last one, whose
/// rest cannot be told, becomes one that is cut off.
void close_gaps(const Run& run, Cycles& cycles);

}  // namespace tactus
