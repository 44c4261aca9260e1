#include "cycles/repeats/layer_runs.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "cycles/repeats/repeats.h"

namespace tactus {
namespace {

constexpr std::size_t kFewestKernels = 4;  // of a layer: two products, a norm, something between
constexpr std::size_t kFewestLayers = 4;

/// How many layers a period has. Two kinds of layers that take turns repeat as a pair: then
/// everything that every layer has occurs twice. Cross-attention does not, because its norms and
/// products differ.
std::size_t layers_in_period(const StreamView& view, std::size_t first, std::size_t end) {
  std::size_t divisor = view.count(first, end, Family::kAttention);
  if (divisor == 0) return 1;
  for (const Family family :
       {Family::kNorm, Family::kActivation, Family::kRope, Family::kKvWrite}) {
    divisor = std::gcd(divisor, view.count(first, end, family));
  }
  return std::gcd(divisor, view.count_products(first, end));
}

/// A sequence in which a loop inside a layer is one symbol, for any number of turns: the experts of
/// a mixture, as many as the tokens of the step have chosen.
struct Collapsed {
  std::vector<std::uint32_t> symbols;
  std::vector<std::size_t> first;  ///< first kernel of each symbol; at the end, the number of
                                   ///< kernels
};

Collapsed collapse_loops(const StreamView& view, std::span<const Repeat> repeats) {
  Collapsed collapsed;
  std::uint32_t next_symbol = 0;
  for (const std::uint32_t symbol : view.symbols) next_symbol = std::max(next_symbol, symbol + 1);
  std::map<std::vector<std::uint32_t>, std::uint32_t> loops;  // by the kernels in them
  std::size_t at = 0;
  const auto copy_up_to = [&](std::size_t end) {
    for (; at < end; ++at) {
      collapsed.symbols.push_back(view.symbols[at]);
      collapsed.first.push_back(at);
    }
  };
  for (const Repeat& repeat : repeats) {
    const std::size_t period_end = repeat.first + repeat.period;
    if (view.count(repeat.first, period_end, Family::kAttention) > 0) continue;
    copy_up_to(repeat.first);
    std::vector<std::uint32_t> kernels(
        view.symbols.begin() + static_cast<std::ptrdiff_t>(repeat.first),
        view.symbols.begin() + static_cast<std::ptrdiff_t>(period_end));
    std::sort(kernels.begin(), kernels.end());
    const auto [loop, is_new] = loops.try_emplace(std::move(kernels), next_symbol);
    next_symbol += is_new ? 1 : 0;
    collapsed.symbols.push_back(loop->second);
    collapsed.first.push_back(at);
    at = repeat.end();
  }
  copy_up_to(view.size());
  collapsed.first.push_back(at);
  return collapsed;
}

/// The run of kernels [first, end) with a period, if it can be layers of a transformer.
std::optional<LayerRun> layers_at(const StreamView& view, std::size_t first, std::size_t end,
                                  std::size_t period, bool knows_attention) {
  if (period < kFewestKernels) return std::nullopt;
  const std::size_t period_end = first + period;
  // What repeats is a whole step, of a model with few layers.
  if (view.any_chooses_word(first, period_end)) return std::nullopt;
  // Norms and softmax may consist of several kernels; reductions are the sign of them.
  const bool has_norm = view.count(first, period_end, Family::kNorm) > 0 ||
                        view.count(first, period_end, Family::kReduce) > 0;
  const bool is_layer = knows_attention ? view.count(first, period_end, Family::kAttention) > 0
                                        : view.count_products(first, period_end) > 1 && has_norm;
  if (!is_layer) return std::nullopt;
  return LayerRun{.first = first,
                  .end = end,
                  .period_first = first,
                  .period = period,
                  .layers_a_period = layers_in_period(view, first, period_end)};
}

/// The repeats that can be layers of a transformer.
std::vector<LayerRun> layer_like(const StreamView& view) {
  const std::size_t attention = view.count(0, view.size(), Family::kAttention);
  const bool knows_attention = attention >= kFewestLayers;
  const std::vector<Repeat> repeats = find_repeats(view.symbols);
  std::vector<LayerRun> runs;
  for (const Repeat& repeat : repeats) {
    const auto run = layers_at(view, repeat.first, repeat.end(), repeat.period, knows_attention);
    if (run) runs.push_back(*run);
  }
  const std::size_t understood = attention_in(view, runs);
  if (!knows_attention || 2 * understood >= attention) return runs;

  const Collapsed collapsed = collapse_loops(view, repeats);
  std::vector<LayerRun> around_loops;
  for (const Repeat& repeat : find_repeats(collapsed.symbols)) {
    const std::size_t first = collapsed.first[repeat.first];
    const auto run = layers_at(view, first, collapsed.first[repeat.end()],
                               collapsed.first[repeat.first + repeat.period] - first, true);
    if (run) around_loops.push_back(*run);
  }
  return attention_in(view, around_loops) > understood ? around_loops : runs;
}

/// True if the kernels between two runs are a layer that differs a little: kernels of the layers,
/// with few others among them. False for the end of one pass and the beginning of another.
bool is_within_pass(const StreamView& view, const LayerRun& before, const LayerRun& after) {
  const std::size_t gap = after.first - before.end;
  if (gap > 3 * std::max(before.period, after.period)) return false;
  // A layer has attention if others have; a product without it is that of the vocabulary.
  const bool has_attention =
      view.count(before.period_first, before.period_first + before.period, Family::kAttention) > 0;
  if (has_attention && view.count_products(before.end, after.first) > 0 &&
      view.count(before.end, after.first, Family::kAttention) == 0) {
    return false;
  }
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

std::size_t attention_in(const StreamView& view, std::span<const LayerRun> layers) {
  std::size_t count = 0;
  for (const LayerRun& run : layers) count += view.count(run.first, run.end, Family::kAttention);
  return count;
}

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
