#include "bench/timing.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tactus {
namespace {

/// 1, 2, ..., n in an order that is not sorted.
std::vector<double> ranks(std::size_t n) {
  std::vector<double> samples(n);
  std::iota(samples.begin(), samples.end(), 1);
  for (std::size_t i = 0; i + 1 < n; i += 2) std::swap(samples[i], samples[i + 1]);
  return samples;
}

MedianInterval interval(double low, double median, double high) {
  return {.median = median, .low = low, .high = high, .known = true};
}

TEST(MedianInterval, is_that_of_the_binomial_tables) {
  // n, rank of the lower end; the upper one is as far from the other side.
  for (const auto& [n, rank] :
       {std::pair{6, 1}, {8, 1}, {9, 2}, {10, 2}, {20, 6}, {30, 10}, {50, 18}, {100, 40}}) {
    const MedianInterval found = median_interval(ranks(static_cast<std::size_t>(n)));
    EXPECT_TRUE(found.known) << n;
    EXPECT_EQ(found.low, rank) << n;
    EXPECT_EQ(found.high, n + 1 - rank) << n;
    EXPECT_EQ(found.median, (n + 1) / 2.0) << n;
  }
}

TEST(MedianInterval, is_not_known_from_less_than_six_samples) {
  for (const std::size_t n : {1U, 2U, 5U}) {
    const MedianInterval found = median_interval(ranks(n));
    EXPECT_FALSE(found.known);
    EXPECT_EQ(found.low, 1) << "all that was seen";
    EXPECT_EQ(found.high, static_cast<double>(n));
  }
  EXPECT_FALSE(median_interval({}).known);
  EXPECT_EQ(median_interval({}).median, 0);
}

TEST(MedianInterval, goes_on_where_the_table_ends) {
  const MedianInterval exact = median_interval(ranks(1000));
  const MedianInterval approximate = median_interval(ranks(1001));
  EXPECT_NEAR(exact.low, approximate.low, 2);
  EXPECT_NEAR(exact.high, approximate.high, 2);
}

TEST(MedianInterval, does_not_care_how_far_out_outliers_are) {
  std::vector<double> samples(20, 5.0);
  samples[3] = 1e9;
  samples[11] = 1e12;
  const MedianInterval found = median_interval(samples);
  EXPECT_EQ(found.median, 5);
  EXPECT_EQ(found.low, 5);
  EXPECT_EQ(found.high, 5);
}

TEST(Enough, needs_its_samples_and_a_tight_interval_or_the_end_of_the_budget) {
  const StopRule rule = {.at_least = 10, .at_most = 100, .tight = 0.01, .seconds = 1};
  const std::vector<double> steady(10, 7.0);
  EXPECT_FALSE(enough(rule, std::span(steady).first(9), 0.1));
  EXPECT_TRUE(enough(rule, steady, 0.1));
  EXPECT_FALSE(enough(rule, ranks(20), 0.1)) << "wide";
  EXPECT_TRUE(enough(rule, ranks(20), 1.1)) << "no budget left";
  EXPECT_TRUE(enough(rule, ranks(100), 0.1)) << "as many as allowed";
}

TEST(Enough, stops_early_only_far_beyond_the_budget) {
  const StopRule rule = {.at_least = 10, .at_most = 100, .tight = 0.01, .seconds = 1};
  EXPECT_FALSE(enough(rule, ranks(3), 2));
  EXPECT_TRUE(enough(rule, ranks(3), 5));
  EXPECT_FALSE(enough(rule, ranks(2), 500)) << "two say nothing";
}

TEST(CompareTimes, says_faster_or_slower_only_where_the_intervals_are_apart) {
  EXPECT_EQ(compare_times(interval(98, 100, 102), interval(78, 80, 82)), Outcome::kFaster);
  EXPECT_EQ(compare_times(interval(78, 80, 82), interval(98, 100, 102)), Outcome::kSlower);
  EXPECT_EQ(compare_times(interval(98, 100, 102), interval(93, 95, 97)), Outcome::kAmbiguous)
      << "apart, but by less than the margin";
  EXPECT_EQ(compare_times(interval(80, 100, 120), interval(70, 85, 100)), Outcome::kAmbiguous);
}

TEST(CompareTimes, says_same_where_the_medians_agree_and_are_known_well) {
  EXPECT_EQ(compare_times(interval(98, 100, 102), interval(99, 101, 103)), Outcome::kSame);
  EXPECT_EQ(compare_times(interval(98, 100, 102), interval(98, 100, 102)), Outcome::kSame);
  EXPECT_EQ(compare_times(interval(50, 100, 150), interval(99, 100, 101)), Outcome::kAmbiguous)
      << "nobody knows";
}

TEST(CompareTimes, swaps_its_answer_with_its_arguments) {
  const MedianInterval some[] = {interval(98, 100, 102), interval(78, 80, 82), interval(95, 97, 99),
                                 interval(50, 100, 150)};
  for (const MedianInterval& a : some) {
    for (const MedianInterval& b : some) {
      const Outcome there = compare_times(a, b);
      const Outcome back = compare_times(b, a);
      EXPECT_EQ(there == Outcome::kFaster, back == Outcome::kSlower);
      EXPECT_EQ(there == Outcome::kSame, back == Outcome::kSame);
    }
  }
}

TEST(CompareTimes, knows_nothing_about_what_was_not_timed) {
  EXPECT_EQ(compare_times({}, interval(98, 100, 102)), Outcome::kAmbiguous);
  EXPECT_EQ(compare_times(interval(98, 100, 102), {}), Outcome::kAmbiguous);
}

}  // namespace
}  // namespace tactus
