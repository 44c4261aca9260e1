#pragma once

#include <span>

#include "cycles/passes/passes.h"
#include "cycles/repeats/stream_view.h"

namespace tactus {

/// Decides for each pass whether it is prefill or decode: from the names of its attention kernels
/// if they say it, else by comparing the passes. A single pass without another to compare stays
/// unknown.
void set_phases(const StreamView& view, DecodedNames& names, std::span<Pass> passes);

}  // namespace tactus
