#include "measure/kinds/name_phases.h"

#include <algorithm>
#include <map>
#include <optional>

#include "measure/kinds/step_kernels.h"

namespace tactus {
namespace {

/// The kernels of a typical step of each phase that has a name, of the first rank: the others do
/// the same work. Of steps that are known by such evidence or better.
std::map<Phase, Frequencies> kernels_of_phases(const Measurement& measurement, Evidence least) {
  std::map<Phase, Frequencies> phases;
  for (std::size_t rank = 0; rank < measurement.ranks.size(); ++rank) {
    const std::vector<MeasuredStep>& steps = measurement.ranks[rank].steps;
    if (steps.empty()) continue;
    std::map<Phase, double> count;
    const auto counts = [&](const MeasuredStep& step) {
      return step.work.phase != Phase::kUnknown && step.work.evidence >= least;
    };
    for (const MeasuredStep& step : steps) count[step.work.phase] += counts(step) ? 1 : 0;
    std::erase_if(count, [](const auto& phase) { return phase.second == 0; });
    if (count.empty()) return phases;
    const std::vector<Frequencies> kernels = kernels_of_steps(measurement, rank);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto phase = count.find(steps[i].work.phase);
      if (phase == count.end() || !counts(steps[i])) continue;
      for (const auto& [name, times] : kernels[i]) {
        phases[phase->first][name] += times / phase->second;
      }
    }
    break;
  }
  return phases;
}

Phase nearest(const Frequencies& kernels, const std::map<Phase, Frequencies>& phases) {
  if (kernels.empty()) return Phase::kUnknown;
  Phase best = Phase::kUnknown;
  double most = kSameKernels;
  bool is_alone = true;
  for (const auto& [phase, of_phase] : phases) {
    const double shared = jaccard(kernels, of_phase);
    if (shared < most) continue;
    is_alone = shared > most || best == Phase::kUnknown;
    most = shared;
    best = phase;
  }
  return is_alone ? best : Phase::kUnknown;
}

}  // namespace

void name_phases(const Measurement& other, Measurement& measurement) {
  const auto is_unknown = [](const MeasuredStep& step) {
    return step.work.phase == Phase::kUnknown;
  };
  const auto is_by_names = [](const MeasuredStep& step) {
    return step.work.evidence == Evidence::kNames;
  };
  std::optional<std::map<Phase, Frequencies>> phases, known_phases;
  for (std::size_t rank = 0; rank < measurement.ranks.size(); ++rank) {
    std::vector<MeasuredStep>& steps = measurement.ranks[rank].steps;
    const bool has_unknown = std::any_of(steps.begin(), steps.end(), is_unknown);
    const bool has_names = std::any_of(steps.begin(), steps.end(), is_by_names);
    if (!has_unknown && !has_names) continue;
    if (has_unknown && !phases) phases = kernels_of_phases(other, Evidence::kNone);
    if (has_names && !known_phases) known_phases = kernels_of_phases(other, Evidence::kGrid);
    if ((!phases || phases->empty()) && (!known_phases || known_phases->empty())) continue;
    const std::vector<Frequencies> kernels = kernels_of_steps(measurement, rank);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (is_unknown(steps[i])) {
        steps[i].work.phase = nearest(kernels[i], *phases);
      } else if (is_by_names(steps[i])) {
        const Phase found = nearest(kernels[i], *known_phases);
        if (found != Phase::kUnknown) steps[i].work.phase = found;
      }
    }
  }
}

}  // namespace tactus
