// Values marked "scipy" are those of scipy 1.10.1.
#include "stats/tests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "stats/distributions.h"
#include "stats/summary.h"

namespace tactus {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> ramp(int count, double step, double first) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(i * step + first);
  return values;
}

TEST(Moments, of_a_sample_divide_by_one_less) {
  const Moments m = moments(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(m.n, 8);
  EXPECT_DOUBLE_EQ(m.mean, 5);
  EXPECT_DOUBLE_EQ(m.stddev, std::sqrt(32.0 / 7));
  EXPECT_EQ(moments({}).n, 0);
  EXPECT_EQ(moments(std::vector<double>{3}).stddev, 0);
}

TEST(Moments, of_a_constant_series_have_no_deviation_at_all) {
  const Moments m = moments(std::vector<double>(11, 988490300.1));
  EXPECT_EQ(m.mean, 988490300.1);
  EXPECT_EQ(m.stddev, 0);
  EXPECT_EQ(moments(std::vector<double>(3, 0.1)).mean, 0.1);
}

TEST(Moments, keep_a_small_spread_around_a_large_mean) {
  const Moments m = moments(std::vector<double>{1e9 + 1, 1e9 + 2, 1e9 + 3});
  EXPECT_DOUBLE_EQ(m.stddev, 1);
  EXPECT_DOUBLE_EQ(m.mean, 1e9 + 2);
}

TEST(StudentT, agrees_with_scipy) {
  struct Known {
    double t;
    double freedom;
    double p;
  };
  static constexpr Known kKnown[] = {
      {0.5, 1, 0.7048327646991336},        {2.0, 3.7, 0.12181720190523394},
      {12.5, 6.2, 1.2527275161961974e-05}, {0.001, 59.5, 0.9992054608397516},
      {1.96, 60.5, 0.054606295216593784},  {3.3, 1234.5, 0.0009944554755937174},
      {40, 5, 1.8411962171772952e-07},     {2.5, 1e6, 0.012419489502163228},
      {0.7, 0.4, 0.7116064018964627},      {25.0, 80.0, 1.4809892672814333e-39}};
  for (const Known& known : kKnown) {
    EXPECT_NEAR(student_t_two_sided(known.t, known.freedom) / known.p, 1, 1e-11)
        << known.t << " " << known.freedom;
    EXPECT_EQ(student_t_two_sided(-known.t, known.freedom),
              student_t_two_sided(known.t, known.freedom));
  }
  EXPECT_EQ(student_t_two_sided(0, 7), 1);
  EXPECT_EQ(student_t_two_sided(std::numeric_limits<double>::infinity(), 7), 0);
  EXPECT_TRUE(std::isnan(student_t_two_sided(kNan, 7)));
}

TEST(Normal, quantiles_are_the_tails_turned_round) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_upper_tail(normal_quantile(0.2)), 0.8, 1e-12);
}

TEST(Welch, agrees_with_scipy) {
  EXPECT_NEAR(welch_p({13, 163.8903, 0.63}, {7, 192.847, 21.3}), 0.011403259006883213, 1e-12);
  EXPECT_NEAR(welch_p({4, 5, 0}, {9, 5.1, 0.2}), 0.17200329195191272, 1e-12);
}

TEST(Welch, of_constant_series_knows_only_equal_and_different) {
  EXPECT_TRUE(std::isnan(welch_p({4, 5, 0}, {3, 5, 0})));
  EXPECT_EQ(welch_p({4, 5, 0}, {3, 6, 0}), 0);
}

TEST(Welch, says_nothing_about_single_values) {
  EXPECT_EQ(welch_p({1, 5, 0}, {30, 600, 1}), 1);
  EXPECT_EQ(welch_p({0, 0, 0}, {30, 600, 1}), 1);
}

TEST(MannWhitney, is_exact_for_small_samples_without_ties) {  // scipy
  EXPECT_NEAR(mann_whitney_p(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6.5}), 0.1,
              1e-14);
  EXPECT_NEAR(mann_whitney_p(std::vector<double>{1.5, 2.5, 7, 9},
                             std::vector<double>{2, 3, 4, 5, 6, 8, 10, 11, 12}),
              0.413986013986014, 1e-14);
}

TEST(MannWhitney, is_exact_if_only_one_sample_is_small) {  // scipy
  EXPECT_NEAR(mann_whitney_p(std::vector<double>{3.1, 2.2, 9.5}, ramp(40, 0.37, 0.01)),
              0.3957539907624989, 1e-14);
  const std::vector<double> small = ramp(8, 7, 0);
  const std::vector<double> large = ramp(200, 1, 40.5);
  EXPECT_NEAR(mann_whitney_p(small, large) / 4.9588386135368825e-12, 1, 1e-12);
  EXPECT_EQ(mann_whitney_p(small, large), mann_whitney_p(large, small));
  EXPECT_NEAR(
      mann_whitney_p(std::vector<double>{0.5, 1.5}, ramp(3000, 1, 0)) / 2.6640020725936127e-06, 1,
      1e-12);
}

TEST(MannWhitney, is_approximated_for_ties_and_for_large_samples) {  // scipy
  EXPECT_NEAR(mann_whitney_p(std::vector<double>{1, 2, 2, 3}, std::vector<double>{2, 4, 5, 5, 6}),
              0.06056886020265745, 1e-14);
  EXPECT_NEAR(mann_whitney_p(ramp(20, 1, 0), ramp(15, 1, 4.5)), 0.3254434096483142, 1e-14);
}

TEST(MannWhitney, of_equal_values_finds_nothing) {
  EXPECT_EQ(mann_whitney_p(std::vector<double>{1, 1, 1}, std::vector<double>{1, 1}), 1);
  EXPECT_EQ(mann_whitney_p(std::vector<double>{1, 2}, std::vector<double>{1, 2}), 1);
  EXPECT_EQ(mann_whitney_p({}, std::vector<double>{1, 2}), 1);
  EXPECT_TRUE(std::isnan(mann_whitney_p(std::vector<double>{1, kNan}, std::vector<double>{2})));
}

/// The same by storing every difference.
Shift plain_hodges_lehmann(const std::vector<double>& a, const std::vector<double>& b, double z) {
  std::vector<double> differences;
  for (const double x : a) {
    for (const double y : b) differences.push_back(y - x);
  }
  std::sort(differences.begin(), differences.end());
  const auto pairs = static_cast<double>(differences.size());
  const double spread = std::sqrt(pairs * static_cast<double>(a.size() + b.size() + 1) / 12);
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::floor(pairs / 2 - z * spread)));
  return {median(differences), differences[rank - 1], differences[differences.size() - rank]};
}

TEST(HodgesLehmann, is_the_median_of_all_differences) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> a(1 + random() % 30);
    std::vector<double> b(1 + random() % 30);
    const auto draw = [&] { return (static_cast<double>(random() % 41) - 20) / 8; };
    std::generate(a.begin(), a.end(), draw);
    std::generate(b.begin(), b.end(), draw);
    const Shift shift = hodges_lehmann(a, b);
    const Shift plain = plain_hodges_lehmann(a, b, 1.959963984540054);
    EXPECT_EQ(shift.shift, plain.shift);
    EXPECT_EQ(shift.low, plain.low);
    EXPECT_EQ(shift.high, plain.high);
  }
}

TEST(HodgesLehmann, of_many_values_needs_no_room_for_their_differences) {
  const std::vector<double> a = ramp(100'000, 1, 0);
  const std::vector<double> b = ramp(100'000, 1, 0.25);
  const Shift shift = hodges_lehmann(a, b);
  EXPECT_EQ(shift.shift, 0.25);
  EXPECT_LT(shift.low, 0.25);
  EXPECT_GT(shift.high, 0.25);
  EXPECT_GT(shift.low, -500);
}

TEST(HodgesLehmann, widens_to_all_differences_where_there_are_few) {
  const Shift shift = hodges_lehmann(std::vector<double>{1, 2}, std::vector<double>{11, 13});
  EXPECT_EQ(shift.shift, 10.5);
  EXPECT_EQ(shift.low, 9);
  EXPECT_EQ(shift.high, 12);
  EXPECT_TRUE(std::isnan(hodges_lehmann({}, std::vector<double>{1}).shift));
  EXPECT_EQ(hodges_lehmann(std::vector<double>{1, kNan}, std::vector<double>{4}).shift, 3);
}

TEST(CliffsDelta, counts_which_side_wins) {
  EXPECT_EQ(cliffs_delta(std::vector<double>{1, 2}, std::vector<double>{3, 4}), 1);
  EXPECT_EQ(cliffs_delta(std::vector<double>{3, 4}, std::vector<double>{1, 2}), -1);
  EXPECT_EQ(cliffs_delta(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2, 3}), 0);
  EXPECT_DOUBLE_EQ(cliffs_delta(std::vector<double>{1, 2, 2, 5}, std::vector<double>{2, 3}),
                   (1 - 1 + 3 - 1) / 8.0);
}

TEST(BenjaminiHochberg, gives_rates_in_the_order_of_the_values) {
  const std::vector<double> q =
      benjamini_hochberg(std::vector<double>{0.04, 0.001, kNan, 0.03, 0.5});
  EXPECT_DOUBLE_EQ(q[1], 0.004);
  EXPECT_DOUBLE_EQ(q[3], 0.04 * 4 / 3);  // not 0.06: a smaller p has no larger rate
  EXPECT_DOUBLE_EQ(q[0], 0.04 * 4 / 3);
  EXPECT_DOUBLE_EQ(q[4], 0.5);
  EXPECT_TRUE(std::isnan(q[2]));
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(Median, is_the_middle_or_between_the_middle_two) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({kNan, 7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

}  // namespace
}  // namespace tactus
