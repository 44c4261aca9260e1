#include "explain/explanations/explanations.h"

#include <algorithm>
#include <cmath>

#include "explain/explanations/explanation_parts.h"
#include "explain/explanations/resource_facts.h"
#include "judge/reversed.h"
#include "stats/summary.h"

namespace tactus {
namespace {

constexpr double kLeastOwn = 0.1;  // of a change: less is not worth explaining
constexpr double kPartOfTime = 0.02;
constexpr double kAlike = 0.25;  // of the change: families that moved by about the same factor
constexpr double kNoise = 0.02;

}  // namespace

KernelSpeed kernel_speed(const PhaseFacts& facts) {
  if (is_other_work(facts)) return {};
  const Replacement replaced = find_replacement(facts);
  std::vector<std::pair<double, double>> ratios;  // and their weights
  double total = 0;
  for (const PartChange& part : facts.phase.parts) {
    if (!is_compute_part(part.part) || replaced.parts.contains(part.part)) continue;
    if (!(part.before_ns > 0) || !(part.after_ns > 0)) continue;
    // More of the same kernels, or more work for each, are not slower ones.
    const double launches = facts.compares_work ? launch_ratio(facts, part.part) : 1;
    const double ratio = part.after_ns / part.before_ns / launches;
    ratios.emplace_back(work_range(facts, part.part).beyond(ratio), part.before_ns);
    total += part.before_ns;
  }
  KernelSpeed speed;
  speed.ratio = weighted_median(ratios).value_or(1);
  const double half = 0.5 * std::log(speed.ratio);
  // One family that takes most of the time is not most families: each that has a part of the time
  // counts as one, too.
  double moved = 0;
  double families = 0;
  double moved_families = 0;
  double alike = 0;
  double alike_families = 0;
  for (const auto& [ratio, weight] : ratios) {
    const bool counts = weight >= kPartOfTime * total;
    families += counts ? 1 : 0;
    if (std::abs(std::log(ratio / speed.ratio)) <= kAlike * std::abs(2 * half) + kNoise) {
      alike += weight;
      alike_families += counts ? 1 : 0;
    }
    if (!(std::log(ratio) * half > 0 && std::abs(std::log(ratio)) >= std::abs(half))) continue;
    moved += weight;
    moved_families += counts ? 1 : 0;
  }
  if (total > 0 && families > 0) {
    speed.share_of_families = std::min(moved / total, moved_families / families);
    speed.share_of_time = moved / total;
    speed.is_one_factor = alike > 2.0 / 3 * total && 2 * alike_families > families;
  }
  speed.knows_work = knows_work(facts);
  speed.is_clear = facts.phase.kernels.is_clear() && facts.phase.kernels.delta_ns() * half > 0;
  return speed;
}

namespace {

std::vector<Explanation> find(const PhaseFacts& facts) {
  std::vector<Explanation> found;
  add_program_explanations(facts, found);
  const ResourceFacts resources(facts);
  add_counter_causes(resources, found);
  add_fingerprints(resources, found);
  return found;
}

/// Gives the change of a part to the explanation, of those with such a claim, that predicts most of
/// it. The value is what is left.
double give(Part part, double change, Explanation::Claim claim, double total,
            std::vector<Explanation>& explanations) {
  Explanation* best = nullptr;
  double most = 0;
  for (Explanation& explanation : explanations) {
    if (!explanation.is_felt || explanation.claim() != claim) continue;
    const double predicted = explanation.predicted_ns[static_cast<std::size_t>(part)];
    if (predicted <= most) continue;
    most = predicted;
    best = &explanation;
  }
  if (best == nullptr) return change;
  best->share += std::min(most, change) / total;
  return change - std::min(most, change);
}

std::vector<Explanation> explain(const PhaseFacts& facts) {
  std::vector<Explanation> explanations = find(facts);
  // What others make this rank wait for is explained at theirs.
  const double total =
      std::min(facts.phase.delta_ns(),
               std::max(facts.phase.own_delta_ns(), kLeastOwn * facts.phase.delta_ns()));
  if (!(total > 0)) return explanations;
  for (const PartChange& part : facts.phase.parts) {
    // What has no law would take any change, so it gets what no law predicts.
    double left = part.delta_ns();
    for (const auto claim :
         {Explanation::kByLaw, Explanation::kBySignal, Explanation::kByNothing}) {
      if (left > 0) left = give(part.part, left, claim, total, explanations);
    }
  }
  for (Explanation& explanation : explanations)
    explanation.share = std::min(1.0, explanation.share);
  return explanations;
}

/// The facts with the sides exchanged.
class ReversedFacts {
 public:
  explicit ReversedFacts(const PhaseFacts& facts)
      : phase_(reversed(facts.phase)), facts_{facts.rank, phase_, functions_, counters_} {
    for (const FunctionChange& function : facts.functions) {
      functions_.push_back(reversed(function));
    }
    for (const CounterShift& shift : facts.counters) counters_.push_back(reversed(shift));
    facts_.has_clock = facts.has_clock;
    facts_.has_host = facts.has_host;
    facts_.compares_work = facts.compares_work;
    facts_.in_units = facts.in_units;
    facts_.job_ranks = {facts.job_ranks[1], facts.job_ranks[0]};
    facts_.is_reversed = true;
  }

  const PhaseFacts& facts() const { return facts_; }

 private:
  PhaseChange phase_;
  std::vector<FunctionChange> functions_;
  std::vector<CounterShift> counters_;
  PhaseFacts facts_;
};

}  // namespace

std::vector<Explanation> find_explanations(const PhaseFacts& facts, Direction direction) {
  return direction == Direction::kSlower ? find(facts) : find(ReversedFacts(facts).facts());
}

std::vector<Explanation> explain_change(const PhaseFacts& facts, Direction direction) {
  return direction == Direction::kSlower ? explain(facts) : explain(ReversedFacts(facts).facts());
}

}  // namespace tactus
