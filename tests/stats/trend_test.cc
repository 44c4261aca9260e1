#include "stats/trend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stats/series.h"

namespace tactus {
namespace {

/// Values that grow from 1 by so much, with noise whose neighbours are alike.
std::vector<double> values(std::size_t n, double growth, double noise, double alike,
                           unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<double> found;
  double level = normal(random);
  for (std::size_t i = 0; i < n; ++i) {
    found.push_back(1 + growth * static_cast<double>(i) / static_cast<double>(n - 1) +
                    noise * level);
    level = alike * level + std::sqrt(1 - alike * alike) * normal(random);
  }
  return found;
}

TEST(Trend, is_clear_beside_noise) {
  const Trend trend = trend_of(values(100, 0.5, 0.05, 0.5, 1));
  EXPECT_TRUE(trend.is_clear);
  EXPECT_NEAR(trend.growth, 0.5, 0.1);
  EXPECT_TRUE(trend_of(values(100, 0.5, 0, 0, 1)).is_clear);
}

TEST(Trend, is_rarely_seen_in_noise_whose_neighbours_are_alike) {
  for (const double alike : {0.0, 0.5, 0.9}) {
    int seen = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
      seen += trend_of(values(200, 0, 0.1, alike, seed)).is_clear ? 1 : 0;
    }
    EXPECT_LT(seen, 40) << alike;
  }
}

TEST(Trend, what_is_left_around_it_is_the_noise) {
  const std::vector<double> drifting = values(400, 2, 0.02, 0, 3);
  const SeriesMean around = series_mean(around_trend(drifting));
  EXPECT_NEAR(around.mean, series_mean(drifting).mean, 1e-9);
  EXPECT_NEAR(around.stddev, 0.02, 0.003);
}

TEST(Trend, few_values_have_none) {
  const std::vector<double> few = {1, 2, 3, 4, 5, 6};
  EXPECT_FALSE(trend_of(few).is_clear);
  EXPECT_EQ(around_trend(few), few);
}

}  // namespace
}  // namespace tactus
