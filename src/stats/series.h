#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/moods.h"

namespace tactus {

/// The mean of values in the order of time, and how far it can be trusted. Neighbours that are
/// alike say less than as many values of their own: `effective` is how many they are worth.
///
///   r* = clamp((n r1 + 1) / (n - 4), 0, 0.98)      r1: autocorrelation of neighbours
///   effective = n (1 - r*) / (1 + r*)
///   variance of the mean = s^2 / (c effective),  c = max(0.25, 1 - (n / effective - 1) / (n - 1))
///
/// c corrects s, which is too small if neighbours are alike. If the means of 4 to 8 blocks of
/// neighbours differ more than that, they give the variance: machines have levels that last for
/// many steps. `benchmarks/intervals` shows how often intervals from this miss the truth.
struct SeriesMean {
  std::size_t n = 0;
  double mean = 0;
  double stddev = 0;  ///< of the sample
  double effective = 0;
  double variance = 0;   ///< of the mean
  BlockSpreads spreads;  ///< at longer and longer blocks; none of values without an order

  /// The same of values that are `by` times as large, in the error of the mean.
  void scale_error(double by) {
    variance *= by * by;
    spreads.factor *= by * by;
  }
  /// Becomes the logarithm of a positive mean.
  void to_log() {
    scale_error(1 / mean);
    mean = std::log(mean);
  }
};
SeriesMean series_mean(std::span<const double> values);

/// The same of values that belong to groups with different means: the spread is that within the
/// groups. `group_of` numbers them from 0; the mean is that of all.
SeriesMean series_mean(std::span<const double> values, std::span<const std::size_t> group_of);

/// The same of values that are in no order, as in a sorted list: each counts.
SeriesMean mean_of_unordered(std::span<const double> values);

/// The values as they count in a calm level, the middle of where values of a group are densest
/// (Tukey's biweight, which gives values far from there no weight). A machine in a bad mood makes
/// steps longer, for a while; how often it did so does not move the calm level, but it moves every
/// mean and quantile. The mean of the result is that level, and its spread is how uncertain the
/// level is (influence values).
std::vector<double> calm_values(std::span<const double> values,
                                std::span<const std::size_t> group_of);

/// The least number of values, and of effective ones, for an interval.
inline constexpr std::size_t kLeastValues = 6;
inline constexpr double kLeastEffective = 4;

/// Why there is no interval.
enum class NoInterval : unsigned char { kHasOne, kTooFew, kTooNoisy };

/// The difference of two means, b - a.
struct Difference {
  double value = 0;
  std::optional<double> low;  ///< 95% interval
  std::optional<double> high;
  std::optional<double> p;  ///< that it is 0, two-sided
  NoInterval reason = NoInterval::kHasOne;
};

/// Welch's interval, with effective - 1 degrees of freedom on each side.
Difference difference(const SeriesMean& a, const SeriesMean& b);

/// The same for series that were not recorded at the same time, `distance` times their length
/// apart: wider where the machine had moods (stats/moods.h), and never narrower.
Difference difference(const SeriesMean& a, const SeriesMean& b, double distance);

/// An interval between recordings: each value is the mean of a recording, Student's t with as many
/// degrees of freedom as there are recordings less two.
Difference difference_of_recordings(std::span<const double> a, std::span<const double> b);

/// The interval of a quantile of b over the same quantile of a, from order statistics, as a ratio
/// of the two. Nothing unless both have enough values to bound that quantile from above.
struct QuantileRatio {
  double ratio = 1;
  double low = 1;
  double high = 1;
};
std::optional<QuantileRatio> quantile_ratio(std::vector<double> a, std::vector<double> b,
                                            double share);
/// The highest quantile that n values can bound: share^n <= 0.05.
double highest_share(std::size_t n);

}  // namespace tactus
