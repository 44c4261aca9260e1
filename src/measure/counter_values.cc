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

/// The time from the first to the last step.
void find_steps(const Measurement& measurement, SampleRange& range) {
  range.begin_ns = INT64_MAX;
  range.end_ns = INT64_MIN;
  for (const RankMeasure& rank : measurement.ranks) {
    for (const MeasuredStep& step : rank.steps) {
      range.begin_ns = std::min(range.begin_ns, step.start_ns);
      range.end_ns = std::max(range.end_ns, step.end_ns);
    }
  }
}

void add_samples(const SampleSeries& series, SampleRange& range) {
  if (series.times_ns.empty()) return;
  const bool is_first = range.samples == 0;
  range.first_ns =
      is_first ? series.times_ns.front() : std::min(range.first_ns, series.times_ns.front());
  range.last_ns =
      is_first ? series.times_ns.back() : std::max(range.last_ns, series.times_ns.back());
  range.samples += series.times_ns.size();
}

std::vector<std::string> unknown_counters(const Run& run) {
  std::vector<std::string> names;
  for (const CounterSeries& series : run.series) {
    const std::string_view name = run.strings[series.name];
    if (!match_counter(name)) names.emplace_back(name);
  }
  return names;
}

}  // namespace

TraceCounters counter_values(const Run& run, const Measurement& measurement) {
  TraceCounters found;
  find_steps(measurement, found.range);
  found.range.unknown = unknown_counters(run);
  std::vector<SampleSeries> all = counter_samples(run);
  std::vector<SampleSeries> of_others = foreign_use(all);
  std::move(of_others.begin(), of_others.end(), std::back_inserter(all));
  for (const SampleSeries& series : all) {
    add_samples(series, found.range);
    if (is_part_of_sum(series, all)) continue;
    CounterValues values{.counter = std::string(series.fact->name), .device = series.place};
    if (series.device.value < run.devices.size())
      values.rank = run.devices[series.device.value].rank;
    for (std::size_t i = series.first_at(found.range.begin_ns);
         i < series.values.size() && series.times_ns[i] <= found.range.end_ns; ++i) {
      values.values.push_back(series.values[i]);
      values.times_ns.push_back(series.times_ns[i]);
    }
    found.range.inside += values.values.size();
    values.seconds_per_sample = static_cast<double>(series.interval_ns) * 1e-9;
    values.coverage = coverage_of(series, measurement);
    if (!values.values.empty()) found.values.push_back(std::move(values));
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
