// How often intervals of a ratio of step times miss the truth, by simulation. usage: intervals
// [PAIRS]
//
// Pairs of series without any change: neighbours that are alike to some degree (autocorrelation r),
// two levels that take turns, or moods (1/f noise, with as much noise of single steps beside it).
// Moods are cut out of one series, side by side or with seven lengths between. For each length and
// kind: how often the interval excludes 1, how often it is refused, and its half-width; beside it
// those of the plain formula (neighbours only).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "stats/series.h"

namespace {

using tactus::SeriesMean;

constexpr double kSpread = 0.1;

std::vector<double> alike(std::size_t n, double r, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values;
  double value = normal(random);
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(kSpread * value);
    value = r * value + std::sqrt(1 - r * r) * normal(random);
  }
  return values;
}

/// Levels that last `length` steps on average, a third of the spread beside them.
std::vector<double> levels(std::size_t n, double length, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<double> values;
  double level = chance(random) < 0.5 ? -1 : 1;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(kSpread * (level + 0.3 * normal(random)));
    if (chance(random) < 1 / length) level = -level;
  }
  return values;
}

/// Noise that is alike at all lengths of time: the sum of series whose neighbours are more and more
/// alike.
std::vector<double> moods(std::size_t n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values(n, 0);
  for (double lasts = 1; lasts < 1e5; lasts *= 3) {
    const double r = std::exp(-1 / lasts);
    double value = normal(random);
    for (double& at : values) {
      at += 0.03 * value;
      value = r * value + std::sqrt(1 - r * r) * normal(random);
    }
  }
  for (double& at : values) at += kSpread * normal(random);
  return values;
}

using Pair = std::pair<std::vector<double>, std::vector<double>>;

/// The first and the last n values of a series.
Pair ends(const std::vector<double>& values, std::size_t n) {
  const auto size = static_cast<std::ptrdiff_t>(n);
  return {{values.begin(), values.begin() + size}, {values.end() - size, values.end()}};
}

/// The formula without blocks.
SeriesMean plain(const std::vector<double>& values) {
  SeriesMean series = tactus::series_mean(values);
  const auto n = static_cast<double>(series.n);
  const double c = std::max(0.25, 1 - (n / series.effective - 1) / (n - 1));
  series.variance = series.stddev * series.stddev / (c * series.effective);
  return series;
}

struct Score {
  int excluded = 0;
  int refused = 0;
  std::vector<double> widths;

  void add(const tactus::Difference& found) {
    if (!found.low) {
      ++refused;
      return;
    }
    excluded += *found.low > 0 || *found.high < 0 ? 1 : 0;
    widths.push_back((*found.high - *found.low) / 2);
  }
  double width() {
    if (widths.empty()) return NAN;
    const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
    std::nth_element(widths.begin(), middle, widths.end());
    return 100 * (std::exp(*middle) - 1);
  }
};

template <class Make>
void simulate(const char* kind, std::size_t n, int pairs, double distance, Make&& make) {
  Score ours, formula;
  for (int i = 0; i < pairs; ++i) {
    const auto [a, b] = make();
    ours.add(tactus::difference(tactus::series_mean(a), tactus::series_mean(b), distance));
    formula.add(tactus::difference(plain(a), plain(b)));
  }
  std::printf("| %-22s | %3zu | %5.1f%% | %5.1f%% | %5.1f%% | %5.1f%% | %5.1f%% |\n", kind, n,
              100.0 * ours.excluded / pairs, 100.0 * ours.refused / pairs, ours.width(),
              100.0 * formula.excluded / pairs, formula.width());
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 600;
  std::mt19937_64 random(1);
  std::printf(
      "| steps                  |   n | 1 excluded | refused | half-width | formula: excluded | "
      "half-width |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const double r : {0.0, 0.5, 0.9}) {
    for (const std::size_t n : {12U, 24U, 40U, 100U, 300U}) {
      char kind[32];
      std::snprintf(kind, sizeof kind, "neighbours alike %.1f", r);
      simulate(kind, n, pairs, 1, [&] { return Pair(alike(n, r, random), alike(n, r, random)); });
    }
  }
  for (const std::size_t n : {40U, 100U, 300U}) {
    simulate("levels of 20 steps", n, pairs, 1,
             [&] { return Pair(levels(n, 20, random), levels(n, 20, random)); });
  }
  for (const std::size_t n : {40U, 100U, 300U}) {
    simulate("moods, side by side", n, pairs, 1, [&] { return ends(moods(2 * n, random), n); });
    simulate("moods, far apart", n, pairs, 8, [&] { return ends(moods(9 * n, random), n); });
  }
}
