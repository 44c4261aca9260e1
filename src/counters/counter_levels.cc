#include "counters/counter_levels.h"

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

/// Each sample once, although cycles of several processes may share it.
std::int64_t samples_in_cycles(const SampleSeries& series, const Cycles& cycles) {
  std::vector<bool> is_inside(series.times_ns.size(), false);
  for (const Cycle& cycle : cycles.cycles) {
    const std::int64_t end_ns = wrapping_add(cycle.start_ns, cycle.dur_ns);
    for (std::size_t i = series.first_at(cycle.start_ns);
         i < is_inside.size() && series.times_ns[i] <= end_ns; ++i) {
      is_inside[i] = true;
    }
  }
  return std::count(is_inside.begin(), is_inside.end(), true);
}

}  // namespace

double CounterLevels::coverage() const {
  if (of_cycle.empty()) return 0;
  const auto seen = std::count_if(of_cycle.begin(), of_cycle.end(),
                                  [](const Level& level) { return level.samples > 0; });
  return static_cast<double>(seen) / static_cast<double>(of_cycle.size());
}

CounterLevels counter_levels(const SampleSeries& series, const Cycles& cycles) {
  CounterLevels levels{
      .fact = series.fact, .device = series.place, .pid = series.pid, .of_cycle = {}};
  for (const Cycle& cycle : cycles.cycles) levels.of_cycle.push_back(level_in(series, cycle));
  return levels;
}

std::vector<CounterLevels> counter_levels(const Run& run, const Cycles& cycles) {
  std::vector<CounterLevels> found;
  for (const SampleSeries& series : counter_samples(run)) {
    found.push_back(counter_levels(series, cycles));
  }
  return found;
}

CounterCoverage coverage_of(const SampleSeries& series, const Cycles& cycles) {
  const CounterLevels levels = counter_levels(series, cycles);
  CounterCoverage coverage;
  coverage.counter = series.fact->name;
  coverage.device = levels.device;
  coverage.pid = levels.pid;
  coverage.samples = samples_in_cycles(series, cycles);
  coverage.share = levels.coverage();
  for (const CounterLevels::Level& level : levels.of_cycle) {
    coverage.interpolated += level.samples == 0 && level.mean ? 1 : 0;
    coverage.unknown += level.mean ? 0 : 1;
  }
  return coverage;
}

std::vector<CounterCoverage> coverage_of_counters(const Run& run, const Cycles& cycles) {
  std::vector<CounterCoverage> found;
  for (const SampleSeries& series : counter_samples(run)) {
    found.push_back(coverage_of(series, cycles));
  }
  return found;
}

}  // namespace tactus
