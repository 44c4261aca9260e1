#include "measure/name_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "measure/frequencies.h"

namespace tactus {
namespace {

constexpr double kSameKernels = 0.5;

/// A library has many of them, each for products or sequences of some sizes.
bool tells_size_by_name(Part part) {
  return part == part_of(Family::kGemm) || part == part_of(Family::kAttention);
}

/// Kernels of a step by name and size of their grid, in factors of 2. Without grids, only those
/// whose name depends on the size of the work: all others have the same names in all phases.
std::vector<Frequencies> kernels_of_steps(const Measurement& measurement, std::size_t rank) {
  std::vector<Frequencies> steps(measurement.ranks[rank].steps.size());
  const FunctionCosts costs = measurement.functions(rank);
  for (const FunctionCost& cost : costs.costs) {
    const MeasuredFunction& function = costs.functions[cost.function];
    if (!is_kernel_part(function.part) || !(cost.count > 0)) continue;
    const double blocks = cost.blocks / static_cast<double>(cost.count);
    if (!(blocks > 0) && !tells_size_by_name(function.part)) continue;
    const int size = blocks > 0 ? static_cast<int>(std::lround(std::log2(blocks))) : -1;
    steps[cost.step][fmt::format("{} {}", size, function.name)] += static_cast<double>(cost.count);
  }
  return steps;
}

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
