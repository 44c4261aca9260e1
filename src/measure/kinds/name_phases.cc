#include "measure/kinds/name_phases.h"

#include <algorithm>
#include <map>

#include "measure/kinds/step_kernels.h"

namespace tactus {
namespace {

/// The kernels of a typical step of each phase that has a name, of the first rank: the others do
/// the same work.
std::map<Phase, Frequencies> kernels_of_phases(const Measurement& measurement) {
  std::map<Phase, Frequencies> phases;
  for (std::size_t rank = 0; rank < measurement.ranks.size(); ++rank) {
    const std::vector<MeasuredStep>& steps = measurement.ranks[rank].steps;
    if (steps.empty()) continue;
    std::map<Phase, double> count;
    for (const MeasuredStep& step : steps) ++count[step.work.phase];
    count.erase(Phase::kUnknown);
    if (count.empty()) return phases;
    const std::vector<Frequencies> kernels = kernels_of_steps(measurement, rank);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto phase = count.find(steps[i].work.phase);
      if (phase == count.end()) continue;
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
  std::map<Phase, Frequencies> phases;
  for (std::size_t rank = 0; rank < measurement.ranks.size(); ++rank) {
    std::vector<MeasuredStep>& steps = measurement.ranks[rank].steps;
    if (std::none_of(steps.begin(), steps.end(), is_unknown)) continue;
    if (phases.empty()) phases = kernels_of_phases(other);
    if (phases.empty()) return;
    const std::vector<Frequencies> kernels = kernels_of_steps(measurement, rank);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (is_unknown(steps[i])) steps[i].work.phase = nearest(kernels[i], phases);
    }
  }
}

}  // namespace tactus
