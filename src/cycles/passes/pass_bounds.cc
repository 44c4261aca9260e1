#include "cycles/passes/pass_bounds.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"

namespace tactus {
namespace {

/// Kernels [first, end) between the layers of two passes.
struct Between {
  std::size_t first = 0;
  std::size_t end = 0;
  std::uint64_t kind = 0;    ///< the same for the same kernels
  std::size_t earliest = 0;  ///< the next pass begins in [earliest, latest]
  std::size_t latest = 0;
};

Between between(const StreamView& view, std::size_t first, std::size_t end) {
  Between gap{.first = first, .end = end, .kind = 0, .earliest = first, .latest = end};
  gap.kind = hash_bytes({reinterpret_cast<const char*>(view.symbols.data() + first),
                         (end - first) * sizeof(std::uint32_t)});
  bool samples = false;
  for (std::size_t i = first; i < end; ++i) {
    if (!view.is(i, Family::kSampling)) continue;
    samples = true;
    gap.earliest = i + 1;
  }
  // Tokens are embedded after the last one was sampled. Without sampling, the gather of a prompt's
  // last tokens may come before the embedding: then the last gather counts.
  for (std::size_t i = gap.earliest; i < end; ++i) {
    if (!view.is(i, Family::kGather)) continue;
    gap.latest = i;
    if (samples) break;
  }
  return gap;
}

/// Adds up, for all gaps of one kind, how long the device was idle before each kernel at which the
/// next pass may begin. One gap may mislead by chance; many do not.
void add_idle_times(const StreamView& view, const Between& gap, std::vector<std::int64_t>& idle) {
  idle.resize(gap.latest - gap.earliest + 1, 0);
  std::int64_t busy_until = gap.first == 0 ? view.stream.starts[0] : view.end_ns(gap.first - 1);
  for (std::size_t i = gap.first; i <= gap.latest && i < view.size(); ++i) {
    if (i >= gap.earliest && view.stream.starts[i] > busy_until) {
      std::int64_t& before = idle[i - gap.earliest];
      before = wrapping_add(before, wrapping_subtract(view.stream.starts[i], busy_until));
    }
    busy_until = std::max(busy_until, view.end_ns(i));
  }
}

std::size_t longest(const std::vector<std::int64_t>& idle) {
  return static_cast<std::size_t>(std::max_element(idle.begin(), idle.end()) - idle.begin());
}

/// For each pair of neighbours, where the second one begins.
std::vector<std::size_t> inner_bounds(const StreamView& view, std::span<const LayerRun> layers) {
  std::vector<Between> gaps;
  std::unordered_map<std::uint64_t, std::vector<std::int64_t>> idle_of;
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    gaps.push_back(between(view, layers[i].end, layers[i + 1].first));
    add_idle_times(view, gaps.back(), idle_of[gaps.back().kind]);
  }
  std::vector<std::size_t> bounds;
  bounds.reserve(gaps.size());
  for (const Between& gap : gaps) bounds.push_back(gap.earliest + longest(idle_of[gap.kind]));
  return bounds;
}

/// Work of more than two layers before the first pass or after the last belongs to something else
/// (start-up, a pass that is cut off). Then only the work after the longest pause counts.
std::size_t outer_bound(const StreamView& view, std::size_t first, std::size_t end,
                        std::size_t period, std::size_t otherwise) {
  if (end - first <= 2 * period) return otherwise;
  const Between gap = between(view, first, end);
  std::vector<std::int64_t> idle;
  add_idle_times(view, gap, idle);
  return gap.earliest + longest(idle);
}

/// A first or last layer that differs is not in a run; its attention shows it.
void take_in_odd_layers(const StreamView& view, const LayerRun& run, Pass& pass) {
  const auto is_attention = [&](std::size_t i) { return view.is(i, Family::kAttention); };
  std::size_t lead = 0;  // kernels of a layer before its attention
  while (lead < run.period && !is_attention(run.period_first + lead)) ++lead;
  if (lead == run.period) return;
  const std::size_t layer = run.kernels_per_layer();
  const std::size_t behind = layer > lead ? layer - lead : 1;
  for (std::size_t i = pass.first; i < pass.layers_first; ++i) {
    if (!is_attention(i)) continue;
    pass.layers_first = std::max(pass.first, i > lead ? i - lead : 0);
    break;
  }
  for (std::size_t i = pass.end; i > pass.layers_end; --i) {
    if (!is_attention(i - 1)) continue;
    pass.layers_end = std::min(pass.end, i - 1 + behind);
    break;
  }
}

}  // namespace

std::vector<Pass> passes_around(const StreamView& view, std::span<const LayerRun> layers) {
  std::vector<Pass> passes;
  if (layers.empty()) return passes;
  std::vector<std::size_t> bounds = inner_bounds(view, layers);
  bounds.insert(bounds.begin(),
                outer_bound(view, 0, layers.front().first, layers.front().period, 0));
  bounds.push_back(
      outer_bound(view, layers.back().end, view.size(), layers.back().period, view.size()));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Pass pass;
    pass.first = bounds[i];
    pass.end = bounds[i + 1];
    pass.layers_first = layers[i].first;
    pass.layers_end = layers[i].end;
    pass.kernels_per_layer = layers[i].kernels_per_layer();
    take_in_odd_layers(view, layers[i], pass);
    pass.layers = count_layers(view, layers[i], pass.first, pass.end);
    passes.push_back(pass);
  }
  return passes;
}

}  // namespace tactus
