#include "stats/series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stats/distributions.h"

namespace tactus {
namespace {

/// Values around `mean`, each like its neighbour to the degree `alike`.
std::vector<double> series(std::size_t count, double mean, double alike, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  double at = normal(random);
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(mean + 0.1 * at);
    at = alike * at + std::sqrt(1 - alike * alike) * normal(random);
  }
  return values;
}

double width(const Difference& change) {
  return *change.high - *change.low;
}

TEST(StudentTQuantile, agrees_with_the_table) {
  struct Known {
    double share;
    double freedom;
    double t;
  };
  for (const Known& known :
       {Known{0.025, 1, 12.706}, Known{0.025, 4, 2.776}, Known{0.025, 10, 2.228},
        Known{0.025, 30, 2.042}, Known{0.025, 1000, 1.962}, Known{0.05, 5, 2.015},
        Known{0.005, 20, 2.845}, Known{0.5, 7, 0}}) {
    EXPECT_NEAR(student_t_quantile(known.share, known.freedom), known.t, 0.0006)
        << known.share << " " << known.freedom;
  }
}

TEST(SeriesMean, values_without_order_are_worth_as_many_as_they_are) {
  const std::vector<double> values = {1, 3, 1, 3, 1, 3, 1, 3};
  const SeriesMean mean = series_mean(values);
  EXPECT_EQ(mean.n, 8U);
  EXPECT_DOUBLE_EQ(mean.mean, 2);
  EXPECT_DOUBLE_EQ(mean.stddev, std::sqrt(8.0 / 7));
  EXPECT_DOUBLE_EQ(mean.effective, 8);
  EXPECT_DOUBLE_EQ(mean.variance, 1.0 / 7);
  EXPECT_GT(series_mean(series(1000, 5, 0, 1)).effective, 800);
}

TEST(SeriesMean, neighbours_that_are_alike_are_worth_fewer_and_give_wider_intervals) {
  const SeriesMean apart[2] = {series_mean(series(300, 5, 0, 1)),
                               series_mean(series(300, 5, 0, 2))};
  const SeriesMean alike[2] = {series_mean(series(300, 5, 0.8, 1)),
                               series_mean(series(300, 5, 0.8, 2))};
  EXPECT_LT(alike[0].effective, 0.3 * apart[0].effective);
  EXPECT_GT(width(difference(alike[0], alike[1])), 1.5 * width(difference(apart[0], apart[1])));
}

TEST(SeriesMean, groups_of_different_means_spread_as_far_as_each_does) {
  const std::vector<double> values = {1, 101, 3, 103, 1, 101, 3, 103};
  const std::vector<std::size_t> groups = {0, 1, 0, 1, 0, 1, 0, 1};
  const SeriesMean mean = series_mean(values, groups);
  EXPECT_DOUBLE_EQ(mean.mean, 52);
  EXPECT_DOUBLE_EQ(mean.stddev, std::sqrt(8.0 / 6));
  EXPECT_GT(series_mean(values).stddev, 50);
}

TEST(SeriesMean, of_nothing_and_of_a_constant) {
  EXPECT_EQ(series_mean(std::vector<double>{}).n, 0U);
  const SeriesMean constant = series_mean(std::vector<double>(10, 7.5));
  EXPECT_EQ(constant.mean, 7.5);
  EXPECT_EQ(constant.stddev, 0);
  EXPECT_EQ(constant.variance, 0);
}

TEST(SeriesMean, equal_values_do_not_differ_by_the_rounding_of_their_mean) {
  const SeriesMean locked = series_mean(std::vector<double>(22, std::log(2100.0)));
  EXPECT_EQ(locked.stddev, 0);
  const Difference change =
      difference(locked, series_mean(std::vector<double>(19, std::log(1909.0))));
  ASSERT_TRUE(change.p);
  EXPECT_LT(*change.p, 1e-6);
}

/// Noise that is alike at all lengths of time, around 0.
std::vector<double> moods(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count, 0);
  for (double lasts = 1; lasts < 1e4; lasts *= 3) {
    const double alike = std::exp(-1 / lasts);
    double at = normal(random);
    for (double& value : values) {
      value += 0.03 * at;
      at = alike * at + std::sqrt(1 - alike * alike) * normal(random);
    }
  }
  for (double& value : values) value += 0.05 * normal(random);
  return values;
}

TEST(Moods, grow_with_the_logarithm_of_the_distance) {
  EXPECT_DOUBLE_EQ(mood_growth(1), 1);
  EXPECT_DOUBLE_EQ(mood_growth(0), 1);
  EXPECT_NEAR(mood_growth(10), 2.74, 0.01);
  EXPECT_NEAR(mood_growth(1000) - mood_growth(100), mood_growth(100) - mood_growth(10), 0.02);
}

TEST(Moods, make_intervals_wider_and_those_of_distant_recordings_most) {
  const std::vector<double> moody = moods(400, 3);
  const SeriesMean a = series_mean(std::span(moody).first(200));
  const SeriesMean b = series_mean(std::span(moody).last(200));
  EXPECT_GT(width(difference(a, b, 1)), 1.5 * width(difference(a, b)));
  EXPECT_GT(width(difference(a, b, 20)), 1.3 * width(difference(a, b, 1)));
  const SeriesMean calm[2] = {series_mean(series(200, 5, 0, 1)), series_mean(series(200, 5, 0, 2))};
  EXPECT_LT(width(difference(calm[0], calm[1], 1)), 1.3 * width(difference(calm[0], calm[1])));
}

TEST(Moods, of_one_machine_are_seldom_taken_for_a_change) {
  int plain = 0;
  int with_moods = 0;
  constexpr unsigned kPairs = 200;
  for (unsigned pair = 0; pair < kPairs; ++pair) {
    const std::vector<double> both = moods(400, pair);
    const SeriesMean a = series_mean(std::span(both).first(200));
    const SeriesMean b = series_mean(std::span(both).last(200));
    const auto is_change = [](const Difference& found) {
      return *found.low > 0 || *found.high < 0;
    };
    plain += is_change(difference(a, b)) ? 1 : 0;
    with_moods += is_change(difference(a, b, 1)) ? 1 : 0;
  }
  EXPECT_GT(plain, 40);
  EXPECT_LT(with_moods, 40);
}

TEST(Moods, of_values_without_an_order_or_without_a_spread_do_not_exist) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8};
  const SeriesMean sorted = mean_of_unordered(values);
  EXPECT_EQ(width(difference(sorted, sorted, 10)), width(difference(sorted, sorted)));
  const SeriesMean constant = series_mean(std::vector<double>(8, 3));
  EXPECT_EQ(width(difference(constant, constant, 10)), 0);
}

TEST(CalmValues, do_not_depend_on_how_often_the_machine_was_disturbed) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const std::size_t disturbed : {0U, 30U, 80U}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < 200; ++i) {
      values.push_back(i < disturbed ? 15 + normal(random) : 10 + 0.1 * normal(random));
    }
    const std::vector<std::size_t> one_group(values.size(), 0);
    const SeriesMean calm = series_mean(calm_values(values, one_group));
    EXPECT_NEAR(calm.mean, 10, 0.05) << disturbed;
    EXPECT_LT(std::sqrt(calm.variance), 0.05) << disturbed;
  }
}

TEST(CalmValues, of_few_or_equal_values_are_the_values) {
  const std::vector<double> few = {3, 1, 2};
  EXPECT_EQ(calm_values(few, std::vector<std::size_t>(3, 0)), few);
  const std::vector<double> equal(20, 4);
  EXPECT_EQ(calm_values(equal, std::vector<std::size_t>(20, 0)), equal);
}

TEST(Difference, has_an_interval_around_the_truth) {
  const Difference change =
      difference(series_mean(series(100, 5, 0.3, 1)), series_mean(series(100, 5.2, 0.3, 2)));
  ASSERT_TRUE(change.low && change.high && change.p);
  EXPECT_EQ(change.reason, NoInterval::kHasOne);
  EXPECT_LT(*change.low, 0.2);
  EXPECT_GT(*change.high, 0.2);
  EXPECT_GT(*change.low, 0);
  EXPECT_LT(*change.p, 0.001);
}

TEST(Difference, of_fewer_than_six_values_has_none) {
  const std::vector<double> five = {1, 2, 1, 2, 1};
  const std::vector<double> six = {1, 2, 1, 2, 1, 2};
  const Difference change = difference(series_mean(five), series_mean(six));
  EXPECT_EQ(change.reason, NoInterval::kTooFew);
  EXPECT_FALSE(change.low || change.high || change.p);
  EXPECT_NEAR(change.value, 0.1, 1e-12);
  EXPECT_TRUE(difference(series_mean(six), series_mean(six)).low);
}

TEST(Difference, of_values_that_only_drift_is_too_noisy) {
  std::vector<double> ramp;
  for (int i = 0; i < 24; ++i) ramp.push_back(i);
  const SeriesMean drift = series_mean(ramp);
  EXPECT_LT(drift.effective, kLeastEffective);
  const Difference change = difference(drift, series_mean(series(24, 5, 0, 1)));
  EXPECT_EQ(change.reason, NoInterval::kTooNoisy);
  EXPECT_FALSE(change.low);
  EXPECT_TRUE(difference(mean_of_unordered(ramp), mean_of_unordered(ramp)).low);
}

TEST(Difference, of_two_series_of_the_same_thing_seldom_excludes_0) {
  for (const std::size_t count : {24U, 100U}) {
    for (const double alike : {0.0, 0.5, 0.9}) {
      int wrong = 0;
      for (unsigned pair = 0; pair < 200; ++pair) {
        const Difference change = difference(series_mean(series(count, 5, alike, 2 * pair)),
                                             series_mean(series(count, 5, alike, 2 * pair + 1)));
        wrong += change.low && (*change.low > 0 || *change.high < 0) ? 1 : 0;
      }
      EXPECT_LE(wrong, 20) << count << " " << alike;
    }
  }
}

TEST(Difference, between_recordings_is_students_t_of_their_means) {
  const Difference change =
      difference_of_recordings(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6});
  EXPECT_DOUBLE_EQ(change.value, 3);
  const double half = 2.7764 * std::sqrt(2.0 / 3);
  EXPECT_NEAR(*change.low, 3 - half, 1e-3);
  EXPECT_NEAR(*change.high, 3 + half, 1e-3);
  EXPECT_NEAR(*change.p, 0.0213, 1e-4);
}

TEST(HighestShare, of_299_values_is_the_99th_percentile) {
  EXPECT_GE(highest_share(299), 0.99);
  EXPECT_LT(highest_share(298), 0.99);
  EXPECT_EQ(highest_share(0), 0);
}

TEST(QuantileRatio, needs_enough_values_to_bound_the_quantile) {
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 400; ++i) {
    a.push_back(100 + i % 50);
    b.push_back(2 * a.back());
  }
  const auto ratio = quantile_ratio(a, b, 0.99);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->ratio, 2);
  EXPECT_LE(ratio->low, 2);
  EXPECT_GE(ratio->high, 2);
  a.resize(200);
  EXPECT_FALSE(quantile_ratio(a, b, 0.99));
  EXPECT_FALSE(quantile_ratio({}, {}, 0.5));
}

TEST(CalmValues, are_not_those_of_a_level_that_half_of_the_steps_lie_below) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (std::size_t i = 0; i < 24; ++i) {
    values.push_back(i % 2 == 0 ? 10 + 0.2 * normal(random) : 13 + 0.05 * normal(random));
  }
  const std::vector<std::size_t> one_group(values.size(), 0);
  EXPECT_EQ(calm_values(values, one_group), values);
}

}  // namespace
}  // namespace tactus
