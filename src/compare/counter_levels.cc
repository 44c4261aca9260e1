#include "compare/counter_levels.h"

#include <algorithm>

#include "base/arithmetic.h"

namespace tactus {
namespace {

CounterLevels::Level level_in(const SampleSeries& series, const Cycle& cycle) {
  const std::int64_t end_ns = wrapping_add(cycle.start_ns, cycle.dur_ns);
  if (!covers(series, cycle.start_ns, end_ns)) return {};
  const std::size_t first = series.first_at(cycle.start_ns);
  std::size_t past = first;
  double sum = 0;
  for (; past < series.times_ns.size() && series.times_ns[past] <= end_ns; ++past) {
    sum += series.values[past];
  }
  const auto samples = static_cast<std::int64_t>(past - first);
  if (samples == 0) {
    return {.mean = read_counter(series, cycle.start_ns, end_ns, first).mean, .samples = 0};
  }
  return {.mean = sum / static_cast<double>(samples), .samples = samples};
}

}  // namespace

double CounterLevels::coverage() const {
  if (of_cycle.empty()) return 0;
  const auto seen = std::count_if(of_cycle.begin(), of_cycle.end(),
                                  [](const Level& level) { return level.samples > 0; });
  return static_cast<double>(seen) / static_cast<double>(of_cycle.size());
}

std::vector<CounterLevels> counter_levels(const Run& run, const Cycles& cycles) {
  std::vector<CounterLevels> found;
  for (const SampleSeries& series : counter_samples(run)) {
    CounterLevels levels{.fact = series.fact, .device = series.device(), .pid = series.pid};
    for (const Cycle& cycle : cycles.cycles) levels.of_cycle.push_back(level_in(series, cycle));
    found.push_back(std::move(levels));
  }
  return found;
}

std::vector<CounterCoverage> coverage_of_counters(const Run& run, const Cycles& cycles) {
  std::vector<CounterCoverage> found;
  for (const CounterLevels& levels : counter_levels(run, cycles)) {
    found.push_back({.counter = std::string(levels.fact->name),
                     .device = levels.device,
                     .pid = levels.pid,
                     .share = levels.coverage()});
  }
  return found;
}

}  // namespace tactus
