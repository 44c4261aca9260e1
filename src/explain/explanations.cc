#include "explain/explanations.h"

#include <algorithm>
#include <cmath>

#include "explain/explanation_parts.h"

namespace tactus {

KernelSpeed kernel_speed(const PhaseFacts& facts) {
  const Replacement replaced = find_replacement(facts);
  std::vector<std::pair<double, double>> ratios;  // and their weights
  double total = 0;
  for (const PartChange& part : facts.phase.parts) {
    if (!is_compute_part(part.part) || replaced.parts.contains(part.part)) continue;
    if (!(part.before_ns > 0) || !(part.after_ns > 0)) continue;
    ratios.emplace_back(part.after_ns / part.before_ns, part.before_ns);
    total += part.before_ns;
  }
  KernelSpeed speed;
  speed.ratio = weighted_median(ratios).value_or(1);
  const double half = 0.5 * std::log(speed.ratio);
  double moved = 0;
  for (const auto& [ratio, weight] : ratios) {
    if (std::log(ratio) * half > 0 && std::abs(std::log(ratio)) >= std::abs(half)) moved += weight;
  }
  // A single family is enough only if it is all there is.
  speed.share_of_families = total > 0 ? moved / total : 0;
  speed.is_clear = facts.phase.kernels.is_clear() && facts.phase.kernels.delta_ns() * half > 0;
  return speed;
}

std::vector<Explanation> find_explanations(const PhaseFacts& facts, int direction) {
  std::vector<Explanation> found;
  add_program_explanations(facts, direction, found);
  add_resource_explanations(facts, direction, found);
  return found;
}

void share_out(const PhaseChange& phase, int direction, std::vector<Explanation>& explanations) {
  const double total = direction * phase.delta_ns();
  if (!(total > 0)) return;
  for (const PartChange& part : phase.parts) {
    const double change = direction * part.delta_ns();
    if (!(change > 0)) continue;
    Explanation* best = nullptr;
    double most = 0;
    for (Explanation& explanation : explanations) {
      if (!explanation.is_felt) continue;
      const double predicted =
          direction * explanation.predicted_ns[static_cast<std::size_t>(part.part)];
      if (predicted <= most) continue;
      most = predicted;
      best = &explanation;
    }
    if (best != nullptr) best->share += std::min(most, change) / total;
  }
  for (Explanation& explanation : explanations)
    explanation.share = std::min(1.0, explanation.share);
}

}  // namespace tactus
