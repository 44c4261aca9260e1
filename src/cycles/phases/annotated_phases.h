#pragma once

#include <span>
#include <vector>

#include "cycles/phases/phase.h"
#include "cycles/repeats/kernel_stream.h"

namespace tactus {

/// The phase of each kernel from the engine's own annotations, by slice row: that of the host range
/// in which it was launched, else that of the device range in which it ran. Empty if no annotation
/// gives a phase.
std::vector<Phase> annotated_phases(const Run& run, std::span<const KernelStream> streams);

/// For each kernel (rows of run.slices, ascending) the StringId value of the innermost annotation
/// around it that gives the lengths of sequences (parse_step_lengths); 0 if there is none.
std::vector<std::uint32_t> length_annotations(const Run& run,
                                              std::span<const std::uint32_t> kernels);

}  // namespace tactus
