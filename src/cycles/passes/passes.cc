#include "cycles/passes/passes.h"

#include <algorithm>
#include <map>
#include <set>

#include "cycles/passes/pass_bounds.h"
#include "cycles/passes/steps_of_layers.h"
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

/// Where the layers of each part of a pass begin, and where the last ones end: as far before their
/// first attention as the layers of the first part.
std::vector<std::size_t> bounds_of_parts(const StreamView& view, const Pass& pass,
                                         std::size_t parts) {
  std::vector<std::size_t> attention;
  for (std::size_t i = pass.layers_first; i < pass.layers_end; ++i) {
    if (view.is(i, Family::kAttention)) attention.push_back(i);
  }
  const bool is_known = !attention.empty() && attention.size() % parts == 0;
  const std::size_t kernels = pass.layers_end - pass.layers_first;
  std::vector<std::size_t> bounds = {pass.layers_first};
  for (std::size_t i = 1; i < parts; ++i) {
    bounds.push_back(is_known ? attention[i * attention.size() / parts] -
                                    (attention.front() - pass.layers_first)
                              : pass.layers_first + i * kernels / parts);
  }
  bounds.push_back(pass.layers_end);
  return bounds;
}

/// Passes that follow each other at once (the pieces of a long prompt) are found as one, of several
/// times as many layers as a model has. Two models that take turns look alike, but the larger one
/// always has the same number.
std::vector<Pass> without_joined(const StreamView& view, std::vector<Pass> passes) {
  constexpr std::size_t kFewestLayers = 4;
  const std::size_t layers = most_common_layers(passes);
  const auto is_joined = [&](const Pass& pass) {
    return pass.layers > layers && pass.layers % layers == 0;
  };
  if (layers < kFewestLayers) return passes;
  std::set<std::size_t> longer;
  for (const Pass& pass : passes) {
    if (is_joined(pass)) longer.insert(pass.layers);
  }
  if (longer.size() < 2) return passes;
  std::vector<Pass> result;
  for (const Pass& pass : passes) {
    const std::size_t parts = is_joined(pass) ? pass.layers / layers : 1;
    const std::vector<std::size_t> bounds = bounds_of_parts(view, pass, parts);
    for (std::size_t i = 0; i < parts; ++i) {
      Pass part = pass;
      part.layers_first = bounds[i];
      part.layers_end = bounds[i + 1];
      part.layers = pass.layers / parts;
      if (i > 0) part.first = part.layers_first;
      if (i + 1 < parts) part.end = part.layers_end;
      result.push_back(part);
    }
  }
  return result;
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

std::vector<Pass> find_passes(const KernelStream& stream, DecodedNames& names,
                              AnnotatedSteps& annotated) {
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
  layers = split_into_steps(view, std::move(layers), annotated);
  std::vector<Pass> passes = without_joined(view, passes_around(view, layers));
  mark_cut_passes(passes, view.size());
  return passes;
}

}  // namespace tactus
