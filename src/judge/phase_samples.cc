#include "judge/phase_samples.h"

#include <algorithm>
#include <cmath>

#include "judge/shape.h"
#include "judge/work_classes.h"
#include "stats/trend.h"

namespace tactus {
namespace {

/// Recordings that do not share a clock: no less than neighbours.
constexpr double kNeighbours = 1;

/// Whether the steps in classes of both sides can stand for the phase: a few that happen to do the
/// same work say nothing about hundreds that do other work.
bool stand_for_all(const std::vector<std::array<std::size_t, 2>>& counts) {
  constexpr std::size_t kEnough = 6;  // for an interval
  constexpr std::size_t kOneIn = 10;
  for (std::size_t side = 0; side < 2; ++side) {
    std::size_t all = 0;
    std::size_t paired = 0;
    for (const std::array<std::size_t, 2>& of_class : counts) {
      all += of_class[side];
      if (of_class[0] > 0 && of_class[1] > 0) paired += of_class[side];
    }
    if (paired < std::min(kEnough, all) || kOneIn * paired < all) return false;
  }
  return true;
}

}  // namespace

PhaseSamples::PhaseSamples(const std::array<Side, 2>& sides, const Members& members,
                           std::optional<PhaseKind> wanted) {
  for (std::size_t side = 0; side < 2; ++side) {
    recordings_[side] = sides[side].size();
    for (const auto& [recording, rank] : members[side]) {
      const RankMeasure& measure = sides[side][recording]->ranks[rank];
      for (std::size_t i = 0; i < measure.steps.size(); ++i) {
        const MeasuredStep& step = measure.steps[i];
        if (wanted && PhaseKind{step.work.phase, step.kind} != *wanted) continue;
        steps_[side].push_back(&measure.steps[i]);
        ranks_[side].push_back(&measure);
        places_[side].push_back({recording, i});
      }
    }
  }
  if (steps_[0].empty() || steps_[1].empty()) return;
  find_growth();
  const WorkClasses classes = work_classes(steps_);
  std::vector<std::array<std::size_t, 2>> counts(classes.count, {0, 0});
  for (std::size_t side = 0; side < 2; ++side) {
    for (const std::size_t of : classes.of_step[side]) ++counts[of][side];
  }
  // A class that both sides have; its weight makes the difference as certain as it can be.
  std::vector<std::size_t> number(classes.count, SIZE_MAX);
  double total = 0;
  for (std::size_t i = 0; i < classes.count; ++i) {
    const auto [a, b] = counts[i];
    if (a == 0 || b == 0) continue;
    number[i] = weight_.size();
    weight_.push_back(static_cast<double>(a) * static_cast<double>(b) / static_cast<double>(a + b));
    total += weight_.back();
  }
  same_work_ = !weight_.empty() && stand_for_all(counts);
  if (!same_work_) {
    number.assign(classes.count, 0);
    weight_ = {1};
    total = 1;
  }
  for (double& weight : weight_) weight /= total;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < steps_[side].size(); ++i) {
      const std::size_t of = number[classes.of_step[side][i]];
      if (of == SIZE_MAX) continue;
      used_[side].push_back(i);
      class_[side].push_back(of);
    }
  }
  find_distance(sides);
  find_drift();
}

void PhaseSamples::find_drift() {
  // Of steps with different work, the order may be that of the work.
  if (empty() || recordings_[0] != 1 || recordings_[1] != 1 || weight_.size() != 1) return;
  std::array<Trend, 2> of_logs;
  std::array<std::vector<double>, 2> logs;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const double length : lengths(side)) logs[side].push_back(std::log(length));
    of_logs[side] = trend_of(logs[side]);
  }
  // A drift may add the same time at each step, or the same share.
  if (!of_logs[1].is_clear && !trend_of(lengths(1)).is_clear) return;
  const ShapeOfChange shape = shape_of_change(logs[0], logs[1]);
  if (shape.shape != ChangeShape::kDrift || shape.factor < kLargeLevel) return;
  const bool normal_too = of_logs[0].is_clear || trend_of(lengths(0)).is_clear;
  constexpr double kFarLess = 0.25;  // a change of the machine that both runs may have seen
  if (normal_too && std::abs(of_logs[0].growth) > kFarLess * of_logs[1].growth) return;
  drifts_ = true;
}

std::vector<double> PhaseSamples::spread_of(std::size_t side,
                                            std::span<const double> values) const {
  if (side == 1 && drifts_) return around_trend(values);
  return {values.begin(), values.end()};
}

void PhaseSamples::find_distance(const std::array<Side, 2>& sides) {
  distance_ = kNeighbours;
  if (empty() || recordings_[0] != 1 || recordings_[1] != 1) return;
  std::array<double, 2> from{};
  std::array<double, 2> to{};
  for (std::size_t side = 0; side < 2; ++side) {
    const auto origin = static_cast<double>(sides[side].front()->origin_ns);
    from[side] = origin + static_cast<double>(step(side, 0).start_ns);
    to[side] = origin + static_cast<double>(step(side, size(side) - 1).end_ns);
  }
  // Times that overlap are not times of day.
  const double length = (to[0] - from[0] + to[1] - from[1]) / 2;
  const bool is_one_clock = from[1] >= to[0] || from[0] >= to[1];
  if (!is_one_clock || !(length > 0)) return;
  distance_ = std::abs(from[1] + to[1] - from[0] - to[0]) / 2 / length;
}

void PhaseSamples::find_growth() {
  double xx = 0;
  double xy = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    double mean_x = 0;
    double mean_y = 0;
    for (const MeasuredStep* step : steps_[side]) {
      if (!step->work.tokens || !(*step->work.tokens > 0)) return;
      mean_x += std::log(*step->work.tokens);
      mean_y += std::log(step->ns);
    }
    const auto n = static_cast<double>(steps_[side].size());
    mean_x /= n;
    mean_y /= n;
    for (const MeasuredStep* step : steps_[side]) {
      const double x = std::log(*step->work.tokens) - mean_x;
      xx += x * x;
      xy += x * (std::log(step->ns) - mean_y);
    }
  }
  // Tokens have to differ by more than a class of work does.
  const auto n = static_cast<double>(steps_[0].size() + steps_[1].size());
  if (xx / n > std::log(1.12) * std::log(1.12)) growth_ = std::clamp(xy / xx, 0.0, 2.0);
}

std::vector<double> PhaseSamples::values(
    std::size_t side,
    const std::function<const std::vector<double>&(const RankMeasure&)>& column) const {
  std::vector<double> found;
  found.reserve(used_[side].size());
  for_each(side, [&](const RankMeasure& rank, std::size_t step) {
    const std::vector<double>& values = column(rank);
    found.push_back(values.empty() ? 0 : values[step]);
  });
  return found;
}

std::vector<double> PhaseSamples::lengths(std::size_t side) const {
  std::vector<double> found;
  for (const std::size_t i : used_[side]) found.push_back(steps_[side][i]->ns);
  return found;
}

std::array<SeriesMean, 2> PhaseSamples::means(
    const std::array<std::vector<double>, 2>& values) const {
  std::array<SeriesMean, 2> found;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::vector<double> calm =
        is_calm_ ? calm_values(values[side], class_[side]) : std::vector<double>();
    const std::vector<double>& level = is_calm_ ? calm : values[side];
    found[side] = side == 1 && drifts_ ? series_mean(spread_of(side, level), class_[side])
                                       : series_mean(level, class_[side]);
    if (weight_.size() == 1) continue;
    std::vector<double> sum(weight_.size(), 0);
    std::vector<double> count(weight_.size(), 0);
    for (std::size_t i = 0; i < level.size(); ++i) {
      sum[class_[side][i]] += level[i];
      count[class_[side][i]] += 1;
    }
    double mean = 0;
    double inflation = 0;
    for (std::size_t k = 0; k < weight_.size(); ++k) {
      mean += weight_[k] * sum[k] / count[k];
      inflation += weight_[k] * weight_[k] / count[k];
    }
    found[side].mean = mean;
    found[side].scale_error(std::sqrt(inflation * static_cast<double>(level.size())));
  }
  return found;
}

std::array<std::vector<double>, 2> PhaseSamples::means_of_recordings(
    const std::array<std::vector<double>, 2>& values) const {
  const std::array<SeriesMean, 2> found = means(values);
  // The mean of each recording, without the effect of its mix of work.
  std::vector<double> level(weight_.size(), 0);
  std::vector<double> count(weight_.size(), 0);
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < values[side].size(); ++i) {
      level[class_[side][i]] += values[side][i] - found[side].mean;
      count[class_[side][i]] += 1;
    }
  }
  for (std::size_t k = 0; k < level.size(); ++k) level[k] /= std::max(1.0, count[k]);
  std::array<std::vector<double>, 2> of_recording;
  for (std::size_t side = 0; side < 2; ++side) {
    std::vector<double> sum(recordings_[side], 0);
    std::vector<double> steps(recordings_[side], 0);
    for (std::size_t i = 0; i < values[side].size(); ++i) {
      const std::size_t recording = places_[side][used_[side][i]].recording;
      sum[recording] += values[side][i] - level[class_[side][i]];
      steps[recording] += 1;
    }
    for (std::size_t r = 0; r < sum.size(); ++r) {
      if (steps[r] > 0) of_recording[side].push_back(sum[r] / steps[r]);
    }
  }
  return of_recording;
}

Difference PhaseSamples::compare(const std::array<std::vector<double>, 2>& values) const {
  if (is_between_recordings()) {
    const std::array<std::vector<double>, 2> of_recording = means_of_recordings(values);
    if (std::min(of_recording[0].size(), of_recording[1].size()) >= 2) {
      return difference_of_recordings(of_recording[0], of_recording[1]);
    }
  }
  return compare_means(means(values));
}

Difference PhaseSamples::compare_logs_of_means(
    const std::array<std::vector<double>, 2>& values) const {
  if (is_between_recordings()) {
    std::array<std::vector<double>, 2> of_recording = means_of_recordings(values);
    for (std::vector<double>& side : of_recording) {
      for (double& mean : side) mean = std::log(std::max(mean, 1e-9));
    }
    if (std::min(of_recording[0].size(), of_recording[1].size()) >= 2) {
      return difference_of_recordings(of_recording[0], of_recording[1]);
    }
  }
  std::array<SeriesMean, 2> found = means(values);
  for (SeriesMean& mean : found) mean.to_log();
  return compare_means(found);
}

Difference PhaseSamples::compare_some(const std::array<std::vector<double>, 2>& values) const {
  if (!is_calm_) {
    return compare_means({series_mean(values[0]), series_mean(spread_of(1, values[1]))});
  }
  std::array<SeriesMean, 2> found;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::vector<std::size_t> one_group(values[side].size(), 0);
    found[side] = series_mean(calm_values(values[side], one_group));
  }
  return compare_means(found);
}

}  // namespace tactus
