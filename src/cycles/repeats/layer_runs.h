#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cycles/repeats/stream_view.h"

namespace tactus {

/// Layers of a model, one after the other. A layer that differs may be among them.
struct LayerRun {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t period_first = 0;     ///< a place where the repeating kernels are
  std::size_t period = 0;           ///< kernels from one repeat to the next
  std::size_t layers_a_period = 1;  ///< 2 if sliding and full attention take turns

  std::size_t size() const { return end - first; }
  std::size_t kernels_per_layer() const { return period / layers_a_period; }
};

/// Attention kernels inside layers: a measure of how much of the model was recognised.
std::size_t attention_in(const StreamView& view, std::span<const LayerRun> layers);

/// Layers in kernels [first, end): counted by their attention if that is known, else by length.
std::size_t count_layers(const StreamView& view, const LayerRun& run, std::size_t first,
                         std::size_t end);

/// The layers of each pass of a stream, in order. Each pass has at least four layers, except the
/// first and the last, which the recording may have cut.
std::vector<LayerRun> find_layer_runs(const StreamView& view);

}  // namespace tactus
