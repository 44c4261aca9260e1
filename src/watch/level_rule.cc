#include "watch/level_rule.h"

#include <algorithm>
#include <cmath>

namespace tactus::watch {
namespace {

/// The first steps of a slowdown, and the number of steps that its level now is a mean of.
constexpr double kEarlySteps = 4;
constexpr double kRecentSteps = 8;
/// It grew if it began below 60% of its level now, and by more than the noise of four steps.
constexpr double kGrew = 0.6;
constexpr double kLeastGrowth = 0.05;
/// The bounds of a step in a mean: two spreads, and never less than what one step may add.
constexpr double kSpreads = 2;

}  // namespace

double bounded(double residual, double scale) {
  const double most = std::max(DetectorRules{}.most, kSpreads * kRuledSpread * scale);
  return std::clamp(residual, -most, most);
}

void LevelRule::set(double step_scale, std::size_t group, double scale) {
  if (group != group_) reset();
  step_scale_ = step_scale;
  group_ = group;
  scale_ = scale;
}

void LevelRule::set_alarm(double alarm) {
  alarm_ = std::max(rules_.alarm, alarm);
}

void LevelRule::reset() {
  sum_ = 0;
  pending_ = {};
  sums_ = {};
}

void LevelRule::note(double residual, const Place& place) {
  if (sums_.n == 0) {
    sums_.first = place;
    sums_.recent = residual;
  } else {
    sums_.products += residual * sums_.last;
    sums_.recent += (residual - sums_.recent) / std::min(sums_.n + 1, kRecentSteps);
  }
  if (sums_.n < kEarlySteps) sums_.early += residual;
  sums_.above += residual > rules_.slack * scale_ ? 1 : 0;
  ++sums_.n;
  sums_.sum += residual;
  sums_.squares += residual * residual;
  sums_.last = residual;
}

void LevelRule::add(double residual, const Place& place, bool is_open) {
  if (pending_.n == 0) pending_ = {.first = place};
  ++pending_.n;
  pending_.sum += residual;
  pending_.bounded += group_ > 1 ? bounded(residual, step_scale_) : residual;
  if (pending_.n < group_) return;
  const auto n = static_cast<double>(pending_.n);
  pending_.n = 0;
  if (!is_open && sum_ == 0) sums_ = {};
  const double counts =
      std::clamp(pending_.bounded / n, rules_.least * scale_, rules_.most * scale_);
  sum_ = std::clamp(sum_ + counts - rules_.slack * scale_, 0.0, (alarm_ + rules_.above) * scale_);
  // Steps after the end of an episode are not part of it.
  if (is_open ? sum_ > rules_.clear * scale_ : sum_ > 0) note(pending_.sum / n, pending_.first);
}

bool LevelRule::grew() const {
  const double early = sums_.early / std::min(sums_.n, kEarlySteps);
  return sums_.n >= 2 * kEarlySteps && early < kGrew * sums_.recent &&
         sums_.recent - early > kLeastGrowth * scale_;
}

LevelRule::Estimate LevelRule::estimate() const {
  const double n = std::max(sums_.n, 1.0);
  const double mean = sums_.sum / n;
  if (n <= 1) return {mean, kRuledSpread * kRuledSpread * scale_ * scale_};
  const double variance = std::max(0.0, (sums_.squares - n * mean * mean) / (n - 1));
  double effective = n;
  if (n > 4 && variance > 0) {
    // Neighbours are alike, so many steps say less than as many independent ones.
    const double rho = std::clamp((sums_.products / (n - 1) - mean * mean) / variance, 0.0, 0.98);
    effective = std::max(1.0, n * (1 - rho) / (1 + rho));
  }
  return {mean, variance / effective};
}

}  // namespace tactus::watch
