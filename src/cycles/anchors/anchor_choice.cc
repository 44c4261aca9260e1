#include "cycles/anchors/anchor_choice.h"

#include <algorithm>
#include <tuple>

#include "base/arithmetic.h"

namespace tactus {
namespace {

using Trust = AnchorName::Trust;

/// How well an anchor fits the kernels, summed up over the loops.
struct Fit {
  std::size_t instances = 0;
  std::size_t filled = 0;      ///< instances that launch kernels
  std::size_t one_to_one = 0;  ///< instances that hold one whole pass and nothing of another
  std::size_t inside = 0;      ///< kernels that instances launch
  std::size_t between = 0;     ///< kernels between the first and the last instance that no instance
                               ///< launches
  double total_ns = 0;
  /// The part before the first instance, or after the last, is not more than one more could hold.
  bool reaches_edges = true;
};

std::size_t one_to_one(std::span<const AnchorInstance> instances,
                       std::span<const PassMark> passes) {
  std::vector<std::uint8_t> passes_in(instances.size(), 0);
  std::vector<bool> is_whole(instances.size(), false);
  for (const PassMark& pass : passes) {
    const auto after = std::upper_bound(
        instances.begin(), instances.end(), pass.first_at_ns,
        [](std::int64_t at, const AnchorInstance& instance) { return at < instance.start_ns; });
    if (after == instances.begin()) continue;
    const auto in = static_cast<std::size_t>(after - instances.begin()) - 1;
    if (pass.first_at_ns >= instances[in].end_ns) continue;
    if (passes_in[in] < 2) ++passes_in[in];
    is_whole[in] = pass.is_whole && pass.last_at_ns < instances[in].end_ns;
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (passes_in[i] == 1 && is_whole[i]) ++count;
  }
  return count;
}

void add_loop(const Loop& loop, std::span<const AnchorInstance> instances,
              std::span<const PassMark> passes, Fit& fit) {
  std::size_t inside = 0;
  std::size_t largest = 0;
  for (const AnchorInstance& instance : instances) {
    const std::size_t kernels =
        count_between(loop.kernels_at_ns, instance.start_ns, instance.end_ns);
    inside += kernels;
    largest = std::max(largest, kernels);
    if (kernels != 0) ++fit.filled;
    fit.total_ns += static_cast<double>(wrapping_subtract(instance.end_ns, instance.start_ns));
  }
  const std::size_t before =
      count_between(loop.kernels_at_ns, INT64_MIN, instances.front().start_ns);
  const std::size_t behind = count_between(loop.kernels_at_ns, instances.back().end_ns, INT64_MAX);
  const std::size_t one_more = largest + largest / 4;
  fit.reaches_edges = fit.reaches_edges && before <= one_more && behind <= one_more;
  fit.instances += instances.size();
  fit.inside += inside;
  fit.between += loop.kernels_at_ns.size() - before - behind - inside;
  fit.one_to_one += one_to_one(instances, passes);
}

Fit fit_of(const Anchor& anchor, const Loops& loops, const LoopPasses& passes) {
  Fit fit;
  for (const AnchoredLoop& of : anchor.loops) {
    add_loop(loops.loops[of.loop], of.instances, passes.marks[of.loop], fit);
  }
  return fit;
}

/// All work is launched in instances, and there are as many as passes, but for prompts or warm-ups:
/// then passes that do not fit begin inside of steps, as a sequence that repeats may.
bool is_as_many(const Fit& fit, std::size_t whole) {
  const std::size_t more = std::max(fit.filled, whole);
  const std::size_t fewer = std::min(fit.filled, whole);
  return fit.between == 0 && (more - fewer) * 20 <= more;
}

/// Whether instances could be steps at all, if there are so many passes, and whole ones.
bool is_step(const Anchor& anchor, const Fit& fit, std::size_t passes, std::size_t whole) {
  if (fit.inside == 0) return false;
  if (anchor.name.trust == Trust::kEngine) return true;
  const bool holds_work = fit.between * 4 <= fit.inside;
  const bool fits_passes = fit.one_to_one != 0 && fit.one_to_one * 2 >= whole;
  if (anchor.name.trust == Trust::kStep) {
    return fits_passes || (holds_work && fit.filled * 2 >= whole);
  }
  if (anchor.name.trust == Trust::kWaits && whole < 2) return fit.filled >= 2 && holds_work;
  if (anchor.name.trust == Trust::kWaits && is_as_many(fit, whole)) return true;
  if (passes == 0) return fit.filled >= 2 && holds_work && fit.reaches_edges;
  // Around a single pass, everything from the program to the model looks like a step.
  return fits_passes && passes >= 2;
}

/// Whether no instance of one reaches into one of the other.
bool are_apart(const Anchor& a, const Anchor& b) {
  for (const AnchoredLoop& of_a : a.loops) {
    for (const AnchoredLoop& of_b : b.loops) {
      if (of_a.loop != of_b.loop) continue;
      auto next = of_b.instances.begin();
      for (const AnchorInstance& instance : of_a.instances) {
        while (next != of_b.instances.end() && next->end_ns <= instance.start_ns) ++next;
        if (next != of_b.instances.end() && next->start_ns < instance.end_ns) return false;
      }
    }
  }
  return true;
}

/// Larger is better.
auto step_order(const Anchor& anchor, const Fit& fit) {
  const bool is_known = anchor.name.trust >= Trust::kStep;
  const bool is_plumbing = anchor.name.trust == Trust::kPlumbing;
  const bool is_repeated = fit.filled >= 3;
  // Of the remaining ones, the one with the fewest instances is outside the others.
  return std::tuple(is_known, fit.one_to_one, is_repeated, !is_plumbing,
                    -static_cast<std::int64_t>(fit.instances), fit.total_ns);
}

}  // namespace

const Anchor* choose_anchor(std::span<const Anchor> anchors, const Loops& loops,
                            const LoopPasses& passes) {
  const Anchor* best = nullptr;
  Fit best_fit;
  const std::size_t count = passes.count();
  const std::size_t whole = passes.whole_count();
  for (const Anchor& anchor : anchors) {
    const Fit fit = fit_of(anchor, loops, passes);
    if (!is_step(anchor, fit, count, whole)) continue;
    if (best != nullptr && step_order(anchor, fit) <= step_order(*best, best_fit)) continue;
    best = &anchor;
    best_fit = fit;
  }
  return best;
}

std::string name_with_others(const Anchor& anchor, std::span<const Anchor> anchors,
                             const Loops& loops, const LoopPasses& passes) {
  if (passes.whole_count() == 0) return {};
  const std::size_t outside = fit_of(anchor, loops, passes).between;
  if (outside == 0) return {};
  std::vector<const Anchor*> chosen = {&anchor};
  std::vector<std::string> names = {anchor.name.text};
  std::size_t inside = 0;  // of what is outside of the anchor
  for (const Anchor& other : anchors) {
    if (&other == &anchor || other.name.trust != Trust::kPlain) continue;
    const Fit fit = fit_of(other, loops, passes);
    if (fit.filled == 0 || 2 * fit.one_to_one < fit.filled) continue;
    const auto is_apart = [&](const Anchor* one) { return are_apart(*one, other); };
    if (!std::all_of(chosen.begin(), chosen.end(), is_apart)) continue;
    chosen.push_back(&other);
    names.push_back(other.name.text);
    inside += fit.inside;
  }
  if (2 * inside < outside) return {};
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += kBetweenNames;
    text += name;
  }
  return text;
}

const Anchor* choose_layer_anchor(std::span<const Anchor> anchors, const Loops& loops,
                                  const LoopPasses& passes) {
  std::size_t kernels = 0;
  for (const Loop& loop : loops.loops) kernels += loop.kernels_at_ns.size();
  const Anchor* best = nullptr;
  Fit best_fit;
  const std::size_t whole = passes.whole_count();
  for (const Anchor& anchor : anchors) {
    const Fit fit = fit_of(anchor, loops, passes);
    // Layers hold most of the work, and there are several in a pass.
    if (fit.inside * 2 < kernels || fit.filled < 2 || fit.filled < 2 * whole) continue;
    const auto order = [](const Fit& f) { return std::tuple(f.inside, f.total_ns); };
    if (best != nullptr && order(fit) <= order(best_fit)) continue;
    best = &anchor;
    best_fit = fit;
  }
  return best;
}

}  // namespace tactus
