#include "watch/usual_noise.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/median.h"

namespace tactus::watch {
namespace {

/// Fewer means say too little about how far they spread: with 16, it is known to about 30%, and the
/// slack is three times the spread.
constexpr std::uint64_t kLeastMeans = 16;
constexpr double kNormalSpread = 1.4826;  // of a normal distribution, over its median deviation
/// How often steps may be long by themselves without being what one looks for: once in 5,000 steps,
/// so that spikes alone stay below the 0.3 episodes per 1,000 steps that we allow.
constexpr double kRareShare = 1.0 / 5000;
/// A single spike in a short time is no habit.
constexpr double kDoubt = 1000;  // [steps]
/// The chance of so many long steps in a window of 40, if they come as usual. 0.2% of long steps
/// and three of 40 is what the rules were made for: 8e-5.
constexpr double kRareWindow = 1e-4;
/// Habits change: after so many steps, the older ones count half.
constexpr double kMostSteps = 100'000;
constexpr double kRungApart = 1.25;
constexpr double kBinWidth = 0.01;
/// The chance of a sum above its limit, and the largest limit: 27 steps of a slowdown of 10%.
constexpr double kRareSum = 1e-4;
constexpr double kMostSum = 1.5;
constexpr double kLeastSteps = 100;
constexpr std::size_t kLooksApart = 64;  // [steps]

/// The chance of n or more events if there are usually `mean`.
double poisson_tail(int n, double mean) {
  double term = std::exp(-mean);
  double below = 0;
  for (int i = 0; i < n; ++i) {
    below += term;
    term *= mean / (i + 1);
  }
  return 1 - below;
}

}  // namespace

double UsualNoise::rung(std::size_t which) const {
  return rules_.spike * std::pow(kRungApart, static_cast<double>(which));
}

std::uint64_t UsualNoise::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

void UsualNoise::Tail::add(const Tail& other, double share) {
  steps = share * steps + other.steps;
  highs = share * highs + other.highs;
  for (std::size_t i = 0; i < kRungs; ++i) above[i] = share * above[i] + other.above[i];
  for (std::size_t i = 0; i < kBins; ++i) bins[i] = share * bins[i] + other.bins[i];
}

void UsualNoise::count(double residual, Tail& tail) const {
  ++tail.steps;
  const double place = (residual / step_scale_ - rules_.least) / kBinWidth;
  ++tail.bins[static_cast<std::size_t>(std::clamp(place, 0.0, kBins - 1.0))];
  if (residual > rules_.high * step_scale_) ++tail.highs;
  for (std::size_t i = 0; i < kRungs && residual > rung(i); ++i) ++tail.above[i];
}

void UsualNoise::add(double residual) {
  // Two means of as many steps are one of twice as many.
  double mean = bounded(residual, step_scale_);
  for (std::size_t k = 0; k < kSizes; ++k) {
    Means& means = means_[k];
    const std::uint64_t place = means.seen < kKept ? means.seen : random() % (means.seen + 1);
    ++means.seen;
    if (place < kKept) means.sizes[place] = static_cast<float>(std::abs(mean));
    means.has_first = !means.has_first;
    if (means.has_first) {
      means.first = mean;
      break;
    }
    mean = (means.first + mean) / 2;
  }
  count(residual, tail_);
  if (++until_look_ >= kLooksApart) {
    until_look_ = 0;
    choose_group();
    choose_limits();
  }
}

void UsualNoise::add_in_episode(double residual) {
  count(residual, pending_);
}

void UsualNoise::end_episode(bool was_alert) {
  if (!was_alert) {
    tail_.add(pending_, 1);
    choose_limits();
  }
  pending_ = {};
  // The steps in front of it and behind it are not neighbours.
  for (Means& means : means_) means.has_first = false;
}

void UsualNoise::choose_group() {
  Group best{.steps = 0};
  for (std::size_t k = 0; k < kSizes; ++k) {
    const Means& means = means_[k];
    if (means.seen < kLeastMeans) break;
    const auto kept = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(means.seen, kKept));
    std::vector<float> sizes(means.sizes.begin(), means.sizes.begin() + kept);
    const double spread = kNormalSpread * static_cast<double>(upper_median(std::move(sizes)));
    if (best.steps == 0 || spread < best.spread) best = {std::size_t{1} << k, spread};
    if (best.spread <= kRuledSpread) break;
  }
  group_ = best;
}

void UsualNoise::choose_limits() {
  if (tail_.steps > kMostSteps) tail_.add({}, 0.5);
  std::size_t which = 0;
  while (which < kRungs && tail_.above[which] - 1 > kRareShare * (tail_.steps + kDoubt)) ++which;
  spike_limit_ = rung(which);
  const double usual = std::max(0.0, tail_.highs - 1) / (tail_.steps + kDoubt) * rules_.high_window;
  high_steps_ = rules_.high_steps;
  while (high_steps_ < rules_.high_window && poisson_tail(high_steps_, usual) > kRareWindow) {
    ++high_steps_;
  }
  alarm_sum_ = std::max(rules_.alarm, rare_sum());
}

/// Lundberg's bound: a sum of steps that usually falls passes h with a chance of at most
/// exp(-theta h), where theta is the root of E[exp(theta (x - slack))] = 1. So the limit follows
/// from how steps of this stream usually are: where every tenth is 13% too long, two in a row are
/// nothing.
double UsualNoise::rare_sum() const {
  if (tail_.steps < kLeastSteps) return 0;
  const auto growth = [&](double theta) {
    double sum = 0;
    for (std::size_t i = 0; i < kBins; ++i) {
      const double x = rules_.least + (static_cast<double>(i) + 0.5) * kBinWidth;
      sum += tail_.bins[i] * std::exp(theta * (x - rules_.slack));
    }
    return sum / tail_.steps;
  };
  const double need = -std::log(kRareSum);
  double low = need / kMostSum;
  double high = need / rules_.alarm;
  if (growth(high) <= 1) return 0;
  if (growth(low) >= 1) return kMostSum;
  for (int i = 0; i < 30; ++i) (growth((low + high) / 2) <= 1 ? low : high) = (low + high) / 2;
  return need / low;
}

}  // namespace tactus::watch
