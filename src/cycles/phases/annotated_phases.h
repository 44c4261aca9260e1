#pragma once

#include <span>
#include <vector>

#include "cycles/phases/phase.h"
#include "cycles/repeats/kernel_stream.h"

namespace tactus {

/// The phase that the engine's own annotations give each kernel, by slice row: that of the host
/// range in which it was launched, else that of the range on the device in which it ran. Empty if
/// no annotation tells a phase.
std::vector<Phase> annotated_phases(const Run& run, std::span<const KernelStream> streams);

}  // namespace tactus
