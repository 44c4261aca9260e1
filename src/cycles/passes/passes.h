#pragma once

#include <cstdint>
#include <vector>

#include "cycles/passes/annotated_steps.h"
#include "cycles/phases/step_work.h"
#include "cycles/repeats/kernel_stream.h"
#include "names/decoded_names.h"

namespace tactus {

/// One forward pass through the model in the kernel stream: the part before the layers, the layers,
/// the part after them up to the next pass.
struct Pass {
  std::size_t first = 0;  ///< kernels [first, end) of the stream
  std::size_t end = 0;
  std::size_t layers_first = 0;  ///< kernels [layers_first, layers_end) are layers
  std::size_t layers_end = 0;
  std::size_t kernels_per_layer = 0;  ///< rounded down if layers differ
  std::size_t layers = 0;
  StepWork work;         ///< set by RunPasses
  bool complete = true;  ///< false if an edge of the recording cuts it
};

/// The passes of a stream, in order and without overlaps. None if no layers repeat: in programs
/// that are not transformers, and in streams that only copy.
std::vector<Pass> find_passes(const KernelStream& stream, DecodedNames& names,
                              AnnotatedSteps& annotated);

}  // namespace tactus
