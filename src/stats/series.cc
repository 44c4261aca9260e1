#include "stats/series.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"

namespace tactus {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kMostAlike = 0.98;
constexpr double kRounding = 1e-13;

/// The variance of the mean from the means of blocks of neighbours: it also sees levels that last
/// for many values, which the likeness of neighbours alone does not show.
double variance_of_blocks(std::span<const double> residuals) {
  const std::size_t blocks = std::clamp<std::size_t>(residuals.size() / 25, 4, 8);
  const std::size_t length = residuals.size() / blocks;
  if (length < 2) return 0;
  double squares = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    double sum = 0;
    for (const double value : residuals.subspan(block * length, length)) sum += value;
    const double mean = sum / static_cast<double>(length);
    squares += mean * mean;
  }
  const auto n = static_cast<double>(blocks);
  return squares / (n - 1) / n;
}

/// Of residuals that are in the order of time.
SeriesMean from_residuals(double mean, std::span<const double> residuals, std::size_t groups) {
  SeriesMean series{.n = residuals.size(), .mean = mean};
  const auto n = static_cast<double>(residuals.size());
  if (residuals.size() <= groups) {
    series.effective = n;
    return series;
  }
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    squares += residuals[i] * residuals[i];
    if (i != 0) products += residuals[i] * residuals[i - 1];
  }
  series.stddev = std::sqrt(squares / (n - static_cast<double>(groups)));
  const double r1 = squares > 0 ? products / squares : 0;
  const double alike = n > 4 ? std::clamp((n * r1 + 1) / (n - 4), 0.0, kMostAlike) : 0;
  series.effective = n * (1 - alike) / (1 + alike);
  const double correction = std::max(0.25, 1 - (n / series.effective - 1) / (n - 1));
  series.variance = std::max(series.stddev * series.stddev / (correction * series.effective),
                             variance_of_blocks(residuals));
  series.spreads = block_spreads(residuals);
  return series;
}

/// The middle of where values are densest, by Tukey's biweight.
struct CalmLevel {
  double middle = 0;
  double reach = 0;  ///< values farther away have no weight
  double slope = 1;  ///< mean of the derivative of the weights

  double away(double value) const { return (value - middle) / reach; }
  double influence(double value) const {
    const double u = away(value);
    const double rest = 1 - u * u;
    return rest > 0 ? middle + reach * u * rest * rest / slope : middle;
  }
};

/// Nothing if there are too few values, or if too many of them are equal.
std::optional<CalmLevel> find_calm_level(std::span<const double> sorted) {
  constexpr std::size_t kFewest = 8;
  constexpr int kRounds = 20;
  if (sorted.size() < kFewest) return std::nullopt;
  // The shortest stretch that holds a third of the values: 0.86 standard deviations of a normal
  // distribution.
  const std::size_t third = sorted.size() / 3;
  std::size_t at = 0;
  for (std::size_t i = 1; i + third < sorted.size(); ++i) {
    if (sorted[i + third] - sorted[i] < sorted[at + third] - sorted[at]) at = i;
  }
  CalmLevel found{.middle = (sorted[at] + sorted[at + third]) / 2,
                  .reach = 4.685 * (sorted[at + third] - sorted[at]) / 0.86};
  if (!(found.reach > 0)) return std::nullopt;
  for (int round = 0; round < kRounds; ++round) {
    double weights = 0;
    double sum = 0;
    found.slope = 0;
    for (const double value : sorted) {
      const double u = found.away(value);
      const double rest = 1 - u * u;
      if (rest <= 0) continue;
      weights += rest * rest;
      sum += rest * rest * value;
      found.slope += rest * (1 - 5 * u * u) / static_cast<double>(sorted.size());
    }
    found.middle = sum / weights;
  }
  // Disturbed steps are longer, so hardly any are far below those that were not disturbed.
  const auto below = std::lower_bound(sorted.begin(), sorted.end(), found.middle - found.reach);
  if (10 * (below - sorted.begin()) > static_cast<std::ptrdiff_t>(sorted.size())) {
    return std::nullopt;
  }
  return found.slope > 0.1 ? std::optional(found) : std::nullopt;
}

Difference with_interval(double value, double variance, double freedom) {
  Difference found{.value = value};
  const double error = std::sqrt(variance);
  const double width = error * student_t_quantile((1 - kConfidence) / 2, freedom);
  found.low = value - width;
  found.high = value + width;
  if (error > 0) {
    found.p = student_t_two_sided(value / error, freedom);
  } else {
    found.p = value == 0 ? 1 : 0;
  }
  return found;
}

/// Order statistics that a quantile lies between, with 95% certainty; indices into sorted values.
std::pair<std::size_t, std::size_t> quantile_bounds(std::size_t n, double share) {
  const double middle = static_cast<double>(n) * share;
  const double spread = 1.96 * std::sqrt(static_cast<double>(n) * share * (1 - share));
  const double low = std::max(0.0, std::floor(middle - spread));
  const double high = std::min(static_cast<double>(n) - 1, std::ceil(middle + spread));
  return {static_cast<std::size_t>(low), static_cast<std::size_t>(high)};
}

}  // namespace

SeriesMean series_mean(std::span<const double> values) {
  const std::vector<std::size_t> one_group(values.size(), 0);
  return series_mean(values, one_group);
}

SeriesMean series_mean(std::span<const double> values, std::span<const std::size_t> group_of) {
  if (values.empty()) return {};
  std::vector<double> sums;
  std::vector<double> counts;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (group_of[i] >= sums.size()) {
      sums.resize(group_of[i] + 1, 0);
      counts.resize(group_of[i] + 1, 0);
    }
    sums[group_of[i]] += values[i];
    counts[group_of[i]] += 1;
    sum += values[i];
  }
  std::vector<double> residuals(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    residuals[i] -= sums[group_of[i]] / counts[group_of[i]];
    // The mean of equal values is rounded: that they differ from it says nothing.
    if (std::abs(residuals[i]) < kRounding * std::abs(values[i])) residuals[i] = 0;
  }
  const auto groups = static_cast<std::size_t>(
      std::count_if(counts.begin(), counts.end(), [](double count) { return count > 0; }));
  return from_residuals(sum / static_cast<double>(values.size()), residuals, groups);
}

SeriesMean mean_of_unordered(std::span<const double> values) {
  SeriesMean found = series_mean(values);
  if (values.size() < 2) return found;
  found.effective = static_cast<double>(values.size());
  found.variance = found.stddev * found.stddev / found.effective;
  found.spreads = {};
  return found;
}

Difference difference(const SeriesMean& a, const SeriesMean& b) {
  Difference none{.value = b.mean - a.mean};
  // Means of equal values are rounded, each in its own way.
  const double rounding = kRounding * std::max(std::abs(a.mean), std::abs(b.mean));
  if (a.stddev == 0 && b.stddev == 0 && std::abs(none.value) < rounding) none.value = 0;
  if (a.n < kLeastValues || b.n < kLeastValues) {
    none.reason = NoInterval::kTooFew;
    return none;
  }
  if (a.effective < kLeastEffective || b.effective < kLeastEffective) {
    none.reason = NoInterval::kTooNoisy;
    return none;
  }
  const double variance = a.variance + b.variance;
  const double sum =
      a.variance * a.variance / (a.effective - 1) + b.variance * b.variance / (b.effective - 1);
  const double freedom = sum > 0 ? variance * variance / sum : a.effective + b.effective - 2;
  return with_interval(none.value, variance, freedom);
}

Difference difference(const SeriesMean& a, const SeriesMean& b, double distance) {
  const Difference plain = difference(a, b);
  const bool is_constant = a.stddev == 0 || b.stddev == 0;
  if (!plain.low || a.spreads.n == 0 || b.spreads.n == 0 || is_constant) return plain;
  const auto moods = error_with_moods(a.spreads, b.spreads, distance);
  if (!moods) return plain;
  const Difference wider = with_interval(plain.value, moods->error * moods->error, moods->freedom);
  return *wider.high > *plain.high ? wider : plain;
}

std::vector<double> calm_values(std::span<const double> values,
                                std::span<const std::size_t> group_of) {
  std::vector<double> calm(values.begin(), values.end());
  std::vector<std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (group_of[i] >= members.size()) members.resize(group_of[i] + 1);
    members[group_of[i]].push_back(i);
  }
  for (const std::vector<std::size_t>& group : members) {
    std::vector<double> sorted;
    for (const std::size_t i : group) sorted.push_back(values[i]);
    std::sort(sorted.begin(), sorted.end());
    if (const std::optional<CalmLevel> level = find_calm_level(sorted)) {
      for (const std::size_t i : group) calm[i] = level->influence(values[i]);
    }
  }
  return calm;
}

Difference difference_of_recordings(std::span<const double> a, std::span<const double> b) {
  const auto mean_of = [](std::span<const double> values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  const double means[2] = {mean_of(a), mean_of(b)};
  const double freedom = static_cast<double>(a.size() + b.size()) - 2;
  double squares = 0;
  for (const double value : a) squares += (value - means[0]) * (value - means[0]);
  for (const double value : b) squares += (value - means[1]) * (value - means[1]);
  const double pooled = squares / freedom;
  return with_interval(
      means[1] - means[0],
      pooled * (1 / static_cast<double>(a.size()) + 1 / static_cast<double>(b.size())), freedom);
}

double highest_share(std::size_t n) {
  return n == 0 ? 0 : std::pow(1 - kConfidence, 1 / static_cast<double>(n));
}

std::optional<QuantileRatio> quantile_ratio(std::vector<double> a, std::vector<double> b,
                                            double share) {
  if (a.empty() || b.empty() || share > highest_share(std::min(a.size(), b.size()))) {
    return std::nullopt;
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const auto at = [&](const std::vector<double>& values) {
    return values[std::min(values.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(values.size())))];
  };
  const auto [a_low, a_high] = quantile_bounds(a.size(), share);
  const auto [b_low, b_high] = quantile_bounds(b.size(), share);
  if (!(at(a) > 0) || !(a[a_low] > 0)) return std::nullopt;
  return QuantileRatio{
      .ratio = at(b) / at(a), .low = b[b_low] / a[a_high], .high = b[b_high] / a[a_low]};
}

}  // namespace tactus
