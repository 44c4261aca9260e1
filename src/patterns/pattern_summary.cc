#include "patterns/pattern_summary.h"

#include <algorithm>
#include <array>

#include "patterns/busy_time.h"
#include "patterns/function_slices.h"

namespace tactus {
namespace {

/// Cut cycles would make the averages too short.
std::vector<bool> counted_cycles(const Cycles& cycles) {
  const bool any_whole = std::any_of(cycles.cycles.begin(), cycles.cycles.end(),
                                     [](const Cycle& cycle) { return cycle.complete; });
  std::vector<bool> is_counted;
  for (const Cycle& cycle : cycles.cycles) is_counted.push_back(cycle.complete || !any_whole);
  return is_counted;
}

}  // namespace

PatternSummary summarise_patterns(const Run& run, const Cycles& cycles) {
  PatternSummary summary;
  summary.counters = coverage_of_counters(run, cycles);
  const std::vector<bool> is_counted = counted_cycles(cycles);
  summary.cycles = std::count(is_counted.begin(), is_counted.end(), true);
  if (summary.cycles == 0) return summary;

  const double share = 1 / static_cast<double>(summary.cycles);
  std::array<ClassTime, kFunctionTypes> classes;
  const FunctionSlices found = function_slices(run, cycles);
  for (const FunctionSlice& slice : found.slices) {
    if (!is_counted[slice.cycle]) continue;
    const FunctionType type = found.functions[slice.function].type;
    classes[static_cast<std::size_t>(type)].plain_ns += share * static_cast<double>(slice.dur_ns);
  }
  const std::vector<CycleBusyTime> busy = union_ns_per_cycle(run, cycles);
  for (std::size_t i = 0; i < busy.size(); ++i) {
    if (!is_counted[i]) continue;
    summary.cycle_ns += share * static_cast<double>(cycles.cycles[i].dur_ns);
    summary.gpu_idle_ns += share * static_cast<double>(busy[i].gpu_idle_ns);
    for (std::size_t type = 0; type < kFunctionTypes; ++type) {
      classes[type].union_ns += share * static_cast<double>(busy[i].ns[type]);
    }
  }
  for (std::size_t type = 0; type < kFunctionTypes; ++type) {
    classes[type].type = static_cast<FunctionType>(type);
    if (classes[type].plain_ns > 0) summary.classes.push_back(classes[type]);
  }
  std::stable_sort(summary.classes.begin(), summary.classes.end(),
                   [](const ClassTime& a, const ClassTime& b) { return a.union_ns > b.union_ns; });
  return summary;
}

}  // namespace tactus
