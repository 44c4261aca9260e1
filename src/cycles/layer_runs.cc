#include "cycles/layer_runs.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "cycles/repeats.h"

namespace tactus {
namespace {

constexpr std::size_t kFewestKernels = 4;  // of a layer: two products, a norm, something between
constexpr std::size_t kFewestLayers = 4;

std::size_t count_products(const StreamView& view, std::size_t first, std::size_t end) {
  return view.count(first, end, Family::kGemm) + view.count(first, end, Family::kGemv);
}

/// How many layers a period has. Two kinds of layers that take turns repeat as a pair: then all
/// that every layer has is there twice. Cross-attention is not, as its norms and products differ.
std::size_t layers_in_period(const StreamView& view, std::size_t first, std::size_t end) {
  std::size_t divisor = view.count(first, end, Family::kAttention);
  if (divisor == 0) return 1;
  for (const Family family :
       {Family::kNorm, Family::kActivation, Family::kRope, Family::kKvWrite}) {
    divisor = std::gcd(divisor, view.count(first, end, family));
  }
  return std::gcd(divisor, count_products(view, first, end));
}

/// The repeats that can be layers of a transformer.
std::vector<LayerRun> layer_like(const StreamView& view) {
  const bool knows_attention = view.count(0, view.size(), Family::kAttention) >= kFewestLayers;
  std::vector<LayerRun> runs;
  for (const Repeat& repeat : find_repeats(view.symbols)) {
    const std::size_t period_end = repeat.first + repeat.period;
    if (repeat.period < kFewestKernels) continue;
    const bool is_layer = knows_attention
                              ? view.count(repeat.first, period_end, Family::kAttention) > 0
                              : count_products(view, repeat.first, period_end) > 0 &&
                                    view.count(repeat.first, period_end, Family::kNorm) > 0;
    if (!is_layer) continue;
    runs.push_back({.first = repeat.first,
                    .end = repeat.end(),
                    .period_first = repeat.first,
                    .period = repeat.period,
                    .layers_a_period = layers_in_period(view, repeat.first, period_end)});
  }
  return runs;
}

/// True if what lies between two runs is a layer that differs a little, not the end of one pass
/// and the beginning of another: kernels of the layers, with few others among them.
bool is_within_pass(const StreamView& view, const LayerRun& before, const LayerRun& after) {
  const std::size_t gap = after.first - before.end;
  if (gap > 3 * std::max(before.period, after.period)) return false;
  std::unordered_set<std::uint32_t> of_layers;
  for (const LayerRun* run : {&before, &after}) {
    for (std::size_t i = 0; i < run->period; ++i) {
      of_layers.insert(view.symbols[run->period_first + i]);
    }
  }
  std::size_t others = 0;
  for (std::size_t i = before.end; i < after.first; ++i) {
    if (of_layers.contains(view.symbols[i])) continue;
    if (view.is(i, Family::kSampling) || view.is(i, Family::kGather)) return false;
    ++others;
  }
  return 3 * others <= gap;
}

std::vector<LayerRun> joined(const StreamView& view, const std::vector<LayerRun>& runs) {
  std::vector<LayerRun> result;
  for (const LayerRun& run : runs) {
    if (result.empty() || !is_within_pass(view, result.back(), run)) {
      result.push_back(run);
      continue;
    }
    LayerRun& whole = result.back();
    // The longer of the two says what a layer is.
    const std::size_t first = whole.first;
    if (run.size() > whole.size()) whole = run;
    whole.first = first;
    whole.end = run.end;
  }
  return result;
}

}  // namespace

std::size_t count_layers(const StreamView& view, const LayerRun& run, std::size_t first,
                         std::size_t end) {
  const std::size_t in_period =
      view.count(run.period_first, run.period_first + run.period, Family::kAttention);
  if (in_period > 0) {
    return view.count(first, end, Family::kAttention) * run.layers_a_period / in_period;
  }
  return run.size() * run.layers_a_period / run.period;
}

std::vector<LayerRun> find_layer_runs(const StreamView& view) {
  const std::vector<LayerRun> all = joined(view, layer_like(view));
  const auto is_whole = [&](const LayerRun& run) {
    return count_layers(view, run, run.first, run.end) >= kFewestLayers;
  };
  const auto is_part_of_another = [&](const LayerRun& run) {
    return std::any_of(all.begin(), all.end(), [&](const LayerRun& other) {
      return other.period == run.period && is_whole(other);
    });
  };
  std::vector<LayerRun> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool at_edge = i == 0 || i + 1 == all.size();
    if (is_whole(all[i]) || (at_edge && is_part_of_another(all[i]))) result.push_back(all[i]);
  }
  return result;
}

}  // namespace tactus
