#include <algorithm>
#include <cmath>
#include <map>

#include "drill/drill.h"
#include "stats/distributions.h"

namespace tactus::drill {
namespace {

constexpr std::size_t kFewest = 6;  // steps of a window, as in a comparison

/// Steps of the phase that takes most of the time.
std::vector<const Cycle*> main_steps(const Cycles& cycles) {
  std::map<Phase, double> time;
  for (const Cycle& cycle : cycles.cycles) {
    if (cycle.complete) time[cycle.phase] += static_cast<double>(cycle.dur_ns);
  }
  std::vector<const Cycle*> steps;
  if (time.empty()) return steps;
  const auto most = std::max_element(
      time.begin(), time.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const Cycle& cycle : cycles.cycles) {
    if (cycle.complete && cycle.phase == most->first && cycle.dur_ns > 0) steps.push_back(&cycle);
  }
  return steps;
}

std::optional<StepLevel> level_in(const std::vector<const Cycle*>& steps, const TimeSpan& window) {
  double logs = 0;
  double sum = 0;
  std::size_t count = 0;
  for (const Cycle* step : steps) {
    if (step->start_ns < window.begin_ns || step->start_ns + step->dur_ns > window.end_ns) continue;
    logs += std::log(static_cast<double>(step->dur_ns));
    sum += static_cast<double>(step->dur_ns);
    ++count;
  }
  if (count < kFewest) return std::nullopt;
  const auto n = static_cast<double>(count);
  return StepLevel{.typical = logs / n, .mean = std::log(sum / n)};
}

struct Sample {
  double mean = 0;
  double squares = 0;  ///< sum of the squared distances to it
};
Sample sample_of(const std::vector<double>& values) {
  Sample sample;
  for (const double value : values) sample.mean += value / static_cast<double>(values.size());
  for (const double value : values) sample.squares += std::pow(value - sample.mean, 2);
  return sample;
}

}  // namespace

StepWindows step_windows(const Cycles& cycles, const std::vector<Injected>& injected) {
  StepWindows windows;
  windows.injected.resize(injected.size());
  const std::vector<const Cycle*> steps = main_steps(cycles);
  std::vector<TimeSpan> rests;  // each once, in the order of time
  std::int64_t longest_ns = 0;
  for (std::size_t i = 0; i < injected.size(); ++i) {
    if (!injected[i].refused.empty()) continue;
    const TimeSpan load{injected[i].begin_ns + kSettle, injected[i].end_ns};
    windows.injected[i] = level_in(steps, load);
    longest_ns = std::max(longest_ns, load.end_ns - load.begin_ns);
    const Rests around = rests_around(injected, i);
    if (rests.empty()) {
      rests.push_back(around.before);
    } else {
      rests.back() = around.before;  // the same as the one after the injection before
    }
    rests.push_back(around.after);
  }
  for (const TimeSpan& rest : rests) {
    const TimeSpan end{std::max(rest.begin_ns, rest.end_ns - longest_ns), rest.end_ns};
    if (const auto level = level_in(steps, end)) windows.resting.push_back(*level);
  }
  return windows;
}

RatioRow among_windows(const std::vector<double>& injected, const std::vector<double>& resting) {
  const std::size_t k = injected.size();
  const std::size_t n = resting.size();
  if (k == 0 || n < 2) return {.ratio = NAN};
  const Sample with = sample_of(injected);
  const Sample without = sample_of(resting);
  const double change = with.mean - without.mean;
  const auto freedom = static_cast<double>(k + n - 2);
  const double variance = (with.squares + without.squares) / freedom;
  const double shares = 1 / static_cast<double>(k) + 1 / static_cast<double>(n);
  const double half = student_t_quantile(0.025, freedom) * std::sqrt(variance * shares);
  double low = change - half;
  double high = change + half;
  if (k == 1) {
    // Moods come and go, so that windows are not spread as a bell is. Of windows that are alike,
    // one is beyond so many of the others at one end with a chance of 2.5%.
    std::vector<double> sorted = resting;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t skip = (n + 1) / 40;
    low = std::min(low, with.mean - sorted[n - 1 - skip]);
    high = std::max(high, with.mean - sorted[skip]);
  }
  return {.ratio = std::exp(change), .low = std::exp(low), .high = std::exp(high)};
}

std::vector<double> typical_of(const std::vector<StepLevel>& levels) {
  std::vector<double> values;
  values.reserve(levels.size());
  for (const StepLevel& level : levels) values.push_back(level.typical);
  return values;
}

std::vector<double> means_of(const std::vector<StepLevel>& levels) {
  std::vector<double> values;
  values.reserve(levels.size());
  for (const StepLevel& level : levels) values.push_back(level.mean);
  return values;
}

RatioRow wider_of(const RatioRow& ratio, const RatioRow& other) {
  if (!std::isfinite(other.low) || !std::isfinite(other.high)) return ratio;
  return {.ratio = ratio.ratio,
          .low = std::min(ratio.low, other.low),
          .high = std::max(ratio.high, other.high)};
}

std::vector<DrillGroup> grade_groups(const std::vector<DrillRow>& rows,
                                     const StepWindows& windows) {
  const auto is_same = [](const Injected& a, const Injected& b) {
    return a.scenario == b.scenario && a.intensity == b.intensity;
  };
  const std::vector<double> typical_rests = typical_of(windows.resting);
  const std::vector<double> mean_rests = means_of(windows.resting);
  std::vector<DrillGroup> groups;
  bool any_repeated = false;
  for (std::size_t first = 0; first < rows.size(); ++first) {
    const Injected& of = rows[first].injected;
    const auto before = rows.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::any_of(rows.begin(), before,
                    [&](const DrillRow& row) { return is_same(row.injected, of); })) {
      continue;
    }
    DrillGroup group{.scenario = of.scenario, .intensity = of.intensity};
    std::vector<double> typical;
    std::vector<double> mean;
    std::map<VerdictClass, std::size_t> said;
    bool was_judged = false;
    for (std::size_t i = first; i < rows.size(); ++i) {
      const DrillRow& row = rows[i];
      if (!is_same(row.injected, of) || row.named.empty() || !windows.injected[i]) continue;
      typical.push_back(windows.injected[i]->typical);
      mean.push_back(windows.injected[i]->mean);
      ++said[row.verdict];
      was_judged |= row.was_judged;
      group.detected += row.detection.steps ? 1 : 0;
      group.alerts += row.detection.alert_s ? 1 : 0;
      group.named_rightly +=
          std::find(row.accepted.begin(), row.accepted.end(), row.named) != row.accepted.end() ? 1
                                                                                               : 0;
    }
    group.repeats = typical.size();
    any_repeated |= group.repeats > 1;
    group.typical = among_windows(typical, typical_rests);
    group.mean = among_windows(mean, mean_rests);
    if (!said.empty()) {
      const auto most =
          std::max_element(said.begin(), said.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      const bool is_most = 2 * most->second > group.repeats;
      const VerdictClass named = is_most ? most->first : VerdictClass::kUnknown;
      group.named = verdict_class_name(named);
      if (std::isfinite(group.typical.low)) group.slower = slower_of(group.typical, group.mean);
      group.grade = grade_of(group.slower, named, was_judged, accepted_classes(group.scenario));
    }
    groups.push_back(std::move(group));
  }
  if (!any_repeated) groups.clear();
  return groups;
}

}  // namespace tactus::drill
