#include "measure/kinds/step_kernels.h"

#include <fmt/format.h>

#include <cmath>

namespace tactus {
namespace {

/// A library has many of them, each for products or sequences of some sizes.
bool tells_size_by_name(Part part) {
  return part == part_of(Family::kGemm) || part == part_of(Family::kAttention);
}

}  // namespace

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

}  // namespace tactus
