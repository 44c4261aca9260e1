#include "stats/trend.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"
#include "stats/series.h"

namespace tactus {
namespace {

constexpr double kByChance = 0.05;
constexpr std::size_t kPieces = 4;

struct Line {
  double middle = 0;  ///< the value at the middle
  double slope = 0;   ///< per value
  double xx = 0;      ///< sum of squared distances from the middle

  double at(std::size_t i, std::size_t n) const {
    return middle + slope * (static_cast<double>(i) - (static_cast<double>(n) - 1) / 2);
  }
};

Line line_through(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Line line;
  for (const double value : values) line.middle += value / n;
  double xy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) - (n - 1) / 2;
    line.xx += x * x;
    xy += x * (values[i] - line.middle);
  }
  if (line.xx > 0) line.slope = xy / line.xx;
  return line;
}

}  // namespace

Trend trend_of(std::span<const double> values) {
  if (values.size() < kPieces * kLeastValues) return {};
  const Line line = line_through(values);
  std::vector<double> rest;
  for (std::size_t i = 0; i < values.size(); ++i) {
    rest.push_back(values[i] - line.at(i, values.size()));
  }
  const auto n = static_cast<double>(values.size());
  Trend trend{.growth = line.slope * (n - 1)};
  const SeriesMean around = series_mean(rest);
  if (around.effective < kLeastEffective) return trend;
  // Of values without an order the variance of the slope is s^2 / xx, that of the mean s^2 / n.
  const double error = std::sqrt(around.variance * n / line.xx);
  trend.is_clear = error > 0
                       ? student_t_two_sided(line.slope / error, around.effective - 1) < kByChance
                       : line.slope != 0;
  return trend;
}

std::vector<double> around_trend(std::span<const double> values) {
  std::vector<double> found(values.begin(), values.end());
  const std::size_t n = values.size();
  if (n < kPieces * kLeastValues) return found;
  const double mean = line_through(values).middle;
  // Each line takes two degrees of freedom.
  const double lost = std::sqrt(static_cast<double>(n) / static_cast<double>(n - 2 * kPieces));
  for (std::size_t piece = 0; piece < kPieces; ++piece) {
    const std::size_t first = n * piece / kPieces;
    const std::size_t count = n * (piece + 1) / kPieces - first;
    const Line line = line_through(values.subspan(first, count));
    for (std::size_t i = 0; i < count; ++i) {
      found[first + i] = mean + (values[first + i] - line.at(i, count)) * lost;
    }
  }
  return found;
}

}  // namespace tactus
