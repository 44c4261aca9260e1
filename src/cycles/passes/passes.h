#pragma once

#include <cstdint>
#include <vector>

#include "cycles/phases/phase.h"
#include "cycles/repeats/kernel_stream.h"
#include "names/decoded_names.h"

namespace tactus {

/// One forward pass through the model as the kernel stream shows it: what comes before the layers,
/// the layers, what comes after them up to the next pass.
struct Pass {
  std::size_t first = 0;  ///< kernels [first, end) of the stream
  std::size_t end = 0;
  std::size_t layers_first = 0;  ///< kernels [layers_first, layers_end) are layers
  std::size_t layers_end = 0;
  std::size_t kernels_per_layer = 0;  ///< rounded down where layers are not all alike
  std::size_t layers = 0;
  Phase phase = Phase::kUnknown;
  bool complete = true;  ///< false at the edges of the recording, if it is cut off there
};

/// The passes of a stream, in order and without overlaps. None where no layers repeat: in programs
/// that are no transformers, and in streams that only copy.
std::vector<Pass> find_passes(const KernelStream& stream, DecodedNames& names);

}  // namespace tactus
