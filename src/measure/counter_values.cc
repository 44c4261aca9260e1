#include "measure/counter_values.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "counters/counter_samples.h"
#include "counters/foreign_use.h"

namespace tactus {
namespace {

/// The share of steps that contain a sample.
double coverage_of(const SampleSeries& series, const Measurement& measurement) {
  std::size_t seen = 0;
  std::size_t steps = 0;
  for (const RankMeasure& rank : measurement.ranks) {
    for (const MeasuredStep& step : rank.steps) {
      const std::size_t first = series.first_at(step.start_ns);
      seen += first < series.times_ns.size() && series.times_ns[first] <= step.end_ns ? 1 : 0;
      ++steps;
    }
  }
  return steps == 0 ? 0 : static_cast<double>(seen) / static_cast<double>(steps);
}

/// True for the part that one process has in a sum over all recorded ones, which is there, too.
bool is_part_of_sum(const SampleSeries& series, const std::vector<SampleSeries>& all) {
  if (!series.pid) return false;
  return std::any_of(all.begin(), all.end(), [&](const SampleSeries& other) {
    return !other.pid && other.fact == series.fact && other.host == series.host &&
           other.device == series.device;
  });
}

}  // namespace

std::vector<CounterValues> counter_values(const Run& run, const Measurement& measurement) {
  std::int64_t begin = INT64_MAX;
  std::int64_t end = INT64_MIN;
  for (const RankMeasure& rank : measurement.ranks) {
    for (const MeasuredStep& step : rank.steps) {
      begin = std::min(begin, step.start_ns);
      end = std::max(end, step.end_ns);
    }
  }
  std::vector<CounterValues> found;
  std::vector<SampleSeries> all = counter_samples(run);
  std::vector<SampleSeries> of_others = foreign_use(all);
  std::move(of_others.begin(), of_others.end(), std::back_inserter(all));
  for (const SampleSeries& series : all) {
    if (is_part_of_sum(series, all)) continue;
    CounterValues values{.counter = std::string(series.fact->name), .device = series.place};
    if (series.device.value < run.devices.size())
      values.rank = run.devices[series.device.value].rank;
    for (std::size_t i = series.first_at(begin);
         i < series.values.size() && series.times_ns[i] <= end; ++i) {
      values.values.push_back(series.values[i]);
    }
    values.seconds_per_sample = static_cast<double>(series.interval_ns) * 1e-9;
    values.coverage = coverage_of(series, measurement);
    if (!values.values.empty()) found.push_back(std::move(values));
  }
  return found;
}

std::vector<CounterValues> pattern_counter_values(const Run& run) {
  struct Level {
    double weight = 0;
    double sum = 0;
  };
  using Levels = std::map<std::int64_t, Level>;                      // by cycle
  std::map<std::pair<std::int64_t, std::int64_t>, Levels> counters;  // by metric and device
  const Patterns& patterns = run.patterns;
  const auto string = [&](std::int64_t id) {
    return run.strings[StringId(static_cast<std::uint64_t>(id))];
  };
  for (std::size_t row = 0; row < patterns.rows; ++row) {
    const auto whole = [&](Patterns::ColumnIndex column) { return patterns.column(column)[row]; };
    const std::string_view metric = string(whole(Patterns::kMetric));
    const double mu = Decimal::to_double(whole(Patterns::kMuPct), run.strings);
    const double us = Decimal::to_double(whole(Patterns::kDurationUs), run.strings);
    if (metric.empty() || metric == "N/A" || !std::isfinite(mu) || !std::isfinite(us)) continue;
    Level& level =
        counters[{whole(Patterns::kMetric), whole(Patterns::kDevice)}][whole(Patterns::kCycle)];
    level.weight += us;
    level.sum += us * mu;
  }
  // In the order of their names.
  std::map<std::pair<std::string_view, std::string_view>, const Levels*> by_name;
  for (const auto& [key, levels] : counters) {
    by_name[{string(key.first), string(key.second)}] = &levels;
  }
  std::vector<CounterValues> found;
  for (const auto& [name, levels] : by_name) {
    CounterValues values{.counter = std::string(name.first), .device = std::string(name.second)};
    for (const auto& [cycle, level] : *levels) {
      if (level.weight > 0) values.values.push_back(level.sum / level.weight);
    }
    if (!values.values.empty()) found.push_back(std::move(values));
  }
  return found;
}

}  // namespace tactus
