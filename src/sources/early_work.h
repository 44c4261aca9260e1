#pragma once

#include "run/run.h"

namespace tactus {

/// Nothing can start before it is launched. Where kernels and copies do, the clocks of the host and
/// of the device disagree: one warning per source says how many do, and by how much.
void warn_of_early_work(Run& run);

}  // namespace tactus
