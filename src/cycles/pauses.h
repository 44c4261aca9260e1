#pragma once

#include "cycles/cycles.h"

namespace tactus {

/// Between two turns of a loop the device may have nothing to do for a long time. Then the server
/// had no requests, or something held it up. A step that only continues requests had them waiting,
/// so the time before it belongs to the step that they waited behind. Any other long time is a
/// pause: nothing tells what it was, and no step contains it (Cycle::pause_ns).
void settle_pauses(Cycles& cycles);

}  // namespace tactus
