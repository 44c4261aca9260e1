#pragma once

#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// Adds work between two cycles of a process to the cycle before it, which then lasts to the start
/// of the next, or to its own end before a pause. The end of the last cycle is unknown, so it
/// becomes a cut one.
void close_gaps(const Run& run, Cycles& cycles);

}  // namespace tactus
