#include "cycles/passes/passes.h"

#include <algorithm>
#include <map>

#include "cycles/passes/pass_bounds.h"
#include "cycles/repeats/layer_runs.h"

namespace tactus {
namespace {

/// The number that most passes have.
std::size_t most_common_layers(std::span<const Pass> passes) {
  std::map<std::size_t, std::size_t> passes_with;
  for (const Pass& pass : passes) ++passes_with[pass.layers];
  std::size_t layers = 0;
  std::size_t most = 0;
  for (const auto& [number, count] : passes_with) {
    if (count < most) continue;
    layers = number;
    most = count;
  }
  return layers;
}

/// A pass at an edge that has fewer layers than the others, or begins in the middle of one.
void mark_cut_passes(std::span<Pass> passes, std::size_t stream_size) {
  if (passes.empty()) return;
  const std::size_t layers = most_common_layers(passes);
  Pass& first = passes.front();
  Pass& last = passes.back();
  if (first.layers < layers || first.layers_first == 0) first.complete = false;
  if (last.layers < layers || last.layers_end == stream_size) last.complete = false;
}

}  // namespace

std::vector<Pass> find_passes(const KernelStream& stream, DecodedNames& names) {
  StreamView view = view_by_name(stream, names);
  std::vector<LayerRun> layers = find_layer_runs(view);
  const std::size_t attention = view.count(0, view.size(), Family::kAttention);
  const std::size_t understood = attention_in(view, layers);
  if (understood < attention) {
    // Layers with different kernel variants are the same if they compute the same: a pass of
    // another size may take variants of its own.
    StreamView by_operation = view_by_operation(stream, names);
    std::vector<LayerRun> others = find_layer_runs(by_operation);
    if (attention_in(by_operation, others) > understood) {
      view.symbols = std::move(by_operation.symbols);
      layers = std::move(others);
    }
  }
  std::vector<Pass> passes = passes_around(view, layers);
  mark_cut_passes(passes, view.size());
  return passes;
}

}  // namespace tactus
