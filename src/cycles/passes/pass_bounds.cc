#include "cycles/passes/pass_bounds.h"

#include <algorithm>
#include <map>

#include "base/hash.h"

namespace tactus {
namespace {

/// Kernels [first, end) between the layers of two passes.
struct Between {
  std::size_t first = 0;
  std::size_t end = 0;
  std::uint64_t kernels = 0;  ///< the same for the same kernels
  std::size_t earliest = 0;   ///< the next pass begins in [earliest, latest]
  std::size_t latest = 0;

  /// Gaps with the same kernels and places. What follows a gap decides on its places, too.
  std::pair<std::uint64_t, std::size_t> kind() const { return {kernels, latest - earliest}; }
};

double products_per_layer(const StreamView& view, const LayerRun& run) {
  return static_cast<double>(view.count_products(run.period_first, run.period_first + run.period)) /
         static_cast<double>(run.layers_a_period);
}

/// True if what follows in [first, end), where the next layers begin, is the rest of a layer and
/// the vocabulary. An odd first layer may be among them: its attention shows it, and a layer has
/// fewer than half of its products before that.
bool ends_a_pass(const StreamView& view, std::size_t first, std::size_t end, double per_layer) {
  std::size_t next = first;
  while (next < end && !view.is(next, Family::kAttention)) ++next;
  const std::size_t products = view.count_products(first, next);
  return next == end ? products > 0 : 2 * static_cast<double>(products) > per_layer + 1;
}

/// Where layers begin is not known, only that they repeat: the first one that was found may begin
/// with the end of what came before. It does not begin after its attention.
std::size_t first_attention(const StreamView& view, const LayerRun& run) {
  for (std::size_t i = run.first; i < std::min(run.end, run.first + run.period); ++i) {
    if (view.is(i, Family::kAttention)) return i;
  }
  return run.first;
}

/// `otherwise` is the latest beginning if no kernel tells.
Between between(const StreamView& view, std::size_t first, std::size_t end, double per_layer,
                std::size_t otherwise) {
  Between gap{.first = first, .end = end, .kernels = 0, .earliest = first, .latest = end};
  gap.kernels = hash_bytes({reinterpret_cast<const char*>(view.symbols.data() + first),
                            (end - first) * sizeof(std::uint32_t)});
  bool samples = false;
  bool has_gather = false;
  for (std::size_t i = first; i < end; ++i) {
    if (!view.is(i, Family::kSampling)) continue;
    samples = true;
    gap.earliest = i + 1;
  }
  // Tokens are embedded after the last one was sampled. Without sampling, the gather of a prompt's
  // last tokens may come before the embedding: then the last gather counts, unless more products of
  // the same pass follow it.
  for (std::size_t i = gap.earliest; i < end; ++i) {
    if (!view.is(i, Family::kGather)) continue;
    if (!samples && ends_a_pass(view, i, end, per_layer)) continue;
    gap.latest = i;
    has_gather = true;
    if (samples) break;
  }
  if (!samples && !has_gather) gap.latest = otherwise;
  return gap;
}

/// Where the next pass may begin in gaps of one kind, from `earliest` on. Each gap names the place
/// before which the device was idle longest. One may mislead by chance, and one that was disturbed
/// misleads by a lot; most do not.
struct Places {
  std::vector<std::size_t> named;  ///< so many times
  std::vector<std::int64_t> idle;  ///< of all gaps together, where as many name two places

  std::size_t best() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < named.size(); ++i) {
      if (std::pair(named[i], idle[i]) > std::pair(named[best], idle[best])) best = i;
    }
    return best;
  }
};

void add_places(const StreamView& view, const Between& gap, Places& places) {
  const std::size_t count = std::max(places.named.size(), gap.latest - gap.earliest + 1);
  places.named.resize(count, 0);
  places.idle.resize(count, 0);
  std::int64_t busy_until = gap.first == 0 ? view.stream.starts[0] : view.end_ns(gap.first - 1);
  std::int64_t longest = 0;
  std::size_t at = 0;
  for (std::size_t i = gap.first; i <= gap.latest && i < view.size(); ++i) {
    if (i >= gap.earliest && view.stream.starts[i] > busy_until) {
      const std::int64_t idle = wrapping_subtract(view.stream.starts[i], busy_until);
      std::int64_t& before = places.idle[i - gap.earliest];
      before = wrapping_add(before, idle);
      if (idle > longest) {
        longest = idle;
        at = i - gap.earliest;
      }
    }
    busy_until = std::max(busy_until, view.end_ns(i));
  }
  ++places.named[at];
}

/// For each pair of neighbours, where the second one begins.
std::vector<std::size_t> inner_bounds(const StreamView& view, std::span<const LayerRun> layers) {
  std::vector<Between> gaps;
  std::map<std::pair<std::uint64_t, std::size_t>, Places> places_of;
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    gaps.push_back(between(view, layers[i].end, layers[i + 1].first,
                           products_per_layer(view, layers[i]),
                           first_attention(view, layers[i + 1])));
    add_places(view, gaps.back(), places_of[gaps.back().kind()]);
  }
  std::vector<std::size_t> bounds;
  bounds.reserve(gaps.size());
  for (const Between& gap : gaps) bounds.push_back(gap.earliest + places_of[gap.kind()].best());
  return bounds;
}

/// Work of more than two layers before the first pass or after the last belongs to something else
/// (start-up, a pass that is cut off). Then only the work after the longest pause counts.
std::size_t outer_bound(const StreamView& view, std::size_t first, std::size_t end,
                        const LayerRun& run, std::size_t otherwise) {
  if (end - first <= 2 * run.period) return otherwise;
  const Between gap = between(view, first, end, products_per_layer(view, run), end);
  Places places;
  add_places(view, gap, places);
  return gap.earliest + places.best();
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
  bounds.insert(bounds.begin(), outer_bound(view, 0, layers.front().first, layers.front(), 0));
  bounds.push_back(outer_bound(view, layers.back().end, view.size(), layers.back(), view.size()));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Pass pass;
    pass.first = bounds[i];
    pass.end = bounds[i + 1];
    pass.layers_first = std::max(layers[i].first, pass.first);
    pass.layers_end = layers[i].end;
    pass.kernels_per_layer = layers[i].kernels_per_layer();
    take_in_odd_layers(view, layers[i], pass);
    pass.layers = count_layers(view, layers[i], pass.first, pass.end);
    passes.push_back(pass);
  }
  return passes;
}

}  // namespace tactus
