#pragma once

#include <span>

#include "cycles/passes/passes.h"
#include "cycles/repeats/stream_view.h"

namespace tactus {

/// Says of each pass whether it is prefill or decode: by the names of its attention kernels where
/// they tell, else by comparing the passes. One pass with nothing to compare with stays unknown.
void set_phases(const StreamView& view, DecodedNames& names, std::span<Pass> passes);

}  // namespace tactus
