#include "edit_run/steps.h"

#include <algorithm>

namespace tactus::edit_run {

std::size_t Steps::kept() const {
  return static_cast<std::size_t>(
      std::count_if(steps.begin(), steps.end(), [](const Step& step) { return step.is_kept; }));
}

Result<Steps> find_steps(const Run& run, const std::optional<StepBlock>& block) {
  Result<Cycles> found = find_cycles(run, {});
  if (!found) return found.error();
  const StepBlock kept = block.value_or(StepBlock{});
  Steps steps{.cycles = std::move(*found), .steps = {}};
  const std::vector<Cycle>& cycles = steps.cycles.cycles;
  for (std::size_t first = 0; first < cycles.size();) {
    std::size_t end = first;
    while (end < cycles.size() && cycles[end].process == cycles[first].process) ++end;
    const auto count = static_cast<std::int64_t>(end - first);
    const std::int64_t last = std::min(count, kept.to) - kept.from - 1;
    for (std::int64_t i = 0; i < count; ++i) {
      Step step{.number = i - kept.from, .is_kept = i >= kept.from && i < kept.to};
      if (last > 0) {
        step.progress =
            std::clamp(static_cast<double>(step.number) / static_cast<double>(last), 0., 1.);
      }
      steps.steps.push_back(step);
    }
    first = end;
  }
  if (block && steps.kept() == 0) {
    return usage_error("--steps: the run has no such steps; it has " +
                       std::to_string(cycles.size()));
  }
  return steps;
}

}  // namespace tactus::edit_run
