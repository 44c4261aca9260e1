#include "bench/timing/timing.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "operators/random.h"

namespace tactus {
namespace {

/// 1, 2, ..., n in an order that is not sorted.
std::vector<double> ranks(std::size_t n) {
  std::vector<double> samples(n);
  std::iota(samples.begin(), samples.end(), 1);
  for (std::size_t i = 0; i + 1 < n; i += 2) std::swap(samples[i], samples[i + 1]);
  return samples;
}

/// Rounds of one sample each.
SampledRounds one_by_one(const std::vector<double>& samples) {
  return {.samples_ns = samples, .rounds = std::vector<std::int64_t>(samples.size(), 1)};
}

/// As many rounds as values, all samples of a round being the same.
SampledRounds rounds_of(const std::vector<double>& values, std::int64_t samples_each) {
  SampledRounds sampled;
  for (const double value : values) {
    sampled.begin_round();
    sampled.add_to_round(std::vector<double>(static_cast<std::size_t>(samples_each), value));
  }
  return sampled;
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

TEST(IntervalOfRounds, is_that_of_the_samples_where_rounds_agree) {
  SampledRounds sampled;
  for (int round = 0; round < 10; ++round) {
    sampled.begin_round();
    sampled.add_to_round(ranks(9));
  }
  const MedianInterval found = interval_of_rounds(sampled);
  const MedianInterval pooled = median_interval(sampled.samples_ns);
  EXPECT_TRUE(found.known);
  EXPECT_EQ(found.median, pooled.median);
  EXPECT_EQ(found.low, pooled.low);
  EXPECT_EQ(found.high, pooled.high);
}

TEST(IntervalOfRounds, is_wider_where_rounds_disagree_more_than_their_samples) {
  // 100 samples a round that say 10.00: what they have in common is not seen within a round.
  const SampledRounds sampled = rounds_of({10, 10, 10, 10.5, 10, 9.8}, 100);
  EXPECT_EQ(median_interval(sampled.samples_ns).high, 10);
  const MedianInterval found = interval_of_rounds(sampled);
  EXPECT_TRUE(found.known);
  EXPECT_EQ(found.median, 10);
  EXPECT_EQ(found.low, 9.8);
  EXPECT_EQ(found.high, 10.5);
}

TEST(IntervalOfRounds, grows_no_wider_with_more_rounds) {
  std::vector<double> medians(12, 10.0);
  medians[3] = 20;  // 2 of 12 are outliers
  medians[7] = 1;
  const MedianInterval found = interval_of_rounds(rounds_of(medians, 5));
  EXPECT_EQ(found.low, 10);
  EXPECT_EQ(found.high, 10);
}

TEST(IntervalOfRounds, is_not_known_from_less_than_six_rounds) {
  const MedianInterval found = interval_of_rounds(rounds_of({10, 11, 10, 10, 10}, 100));
  EXPECT_FALSE(found.known);
  EXPECT_EQ(found.high, 11) << "all that was seen";
  EXPECT_FALSE(interval_of_rounds({}).known);
}

TEST(IntervalOfRounds, of_single_samples_is_that_of_the_samples) {
  const MedianInterval found = interval_of_rounds(one_by_one(ranks(20)));
  EXPECT_TRUE(found.known);
  EXPECT_EQ(found.low, 6);
  EXPECT_EQ(found.high, 15);
}

TEST(IntervalOfRounds, holds_the_true_median_as_often_as_it_says_although_rounds_are_shifted) {
  constexpr int kTimes = 1000;
  Random random(1);
  int of_rounds = 0;
  int of_samples = 0;
  for (int time = 0; time < kTimes; ++time) {
    SampledRounds sampled;
    for (int round = 0; round < 6; ++round) {
      const double middle = 100 + random.normal();
      sampled.begin_round();
      for (int i = 0; i < 32; ++i) {
        sampled.add_to_round(std::vector<double>{middle + 0.5 * random.normal()});
      }
    }
    const auto holds = [](const MedianInterval& found) {
      return found.low <= 100 && found.high >= 100;
    };
    of_rounds += holds(interval_of_rounds(sampled)) ? 1 : 0;
    of_samples += holds(median_interval(sampled.samples_ns)) ? 1 : 0;
  }
  EXPECT_GE(of_rounds, kTimes * 95 / 100);
  EXPECT_LT(of_samples, kTimes / 2) << "this is what rounds are for";
}

TEST(WithoutSlowed, leaves_out_what_was_taken_while_clocks_were_lowered) {
  SampledRounds sampled;
  sampled.add_to_round(std::vector<double>{1, 2, 3});
  sampled.begin_round();
  sampled.add_to_round(std::vector<double>{40, 50});  // all of a round
  sampled.begin_round();
  sampled.add_to_round(std::vector<double>{6, 70, 8, 9, 10});
  const Sieved sieved =
      without_slowed(sampled, {false, false, false, true, true, false, true, false, false, false});
  EXPECT_EQ(sieved.dropped, 3);
  EXPECT_EQ(sieved.kept.samples_ns, (std::vector<double>{1, 2, 3, 6, 8, 9, 10}));
  EXPECT_EQ(sieved.kept.rounds, (std::vector<std::int64_t>{3, 4}));
}

TEST(WithoutSlowed, keeps_everything_where_too_little_would_be_left) {
  const SampledRounds sampled = rounds_of({1, 2, 3, 4}, 3);
  std::vector<bool> slowed(12, true);
  EXPECT_EQ(without_slowed(sampled, slowed).kept.samples_ns, sampled.samples_ns);
  EXPECT_EQ(without_slowed(sampled, slowed).dropped, 0);
  for (int i = 0; i < 5; ++i) slowed[static_cast<std::size_t>(i)] = false;
  EXPECT_EQ(without_slowed(sampled, slowed).kept.samples_ns, sampled.samples_ns);
  slowed[5] = false;
  EXPECT_EQ(without_slowed(sampled, slowed).dropped, 6);
  EXPECT_EQ(without_slowed(sampled, slowed).kept.rounds, (std::vector<std::int64_t>{3, 3}));
}

TEST(WithoutSlowed, leaves_out_nothing_where_nobody_was_asked) {
  const SampledRounds sampled = rounds_of({1, 2}, 4);
  EXPECT_EQ(without_slowed(sampled, {}).kept.samples_ns, sampled.samples_ns);
  EXPECT_TRUE(without_slowed({}, {}).kept.samples_ns.empty());
}

TEST(Enough, needs_its_samples_and_a_tight_interval_or_the_end_of_the_budget) {
  const StopRule rule = {.at_least = 10, .at_most = 100, .rounds = 6, .tight = 0.01, .seconds = 1};
  EXPECT_FALSE(enough(rule, one_by_one(std::vector<double>(9, 7.0)), 0.1));
  EXPECT_TRUE(enough(rule, one_by_one(std::vector<double>(10, 7.0)), 0.1));
  EXPECT_FALSE(enough(rule, one_by_one(ranks(20)), 0.1)) << "wide";
  EXPECT_TRUE(enough(rule, one_by_one(ranks(20)), 1.1)) << "no budget left";
  EXPECT_TRUE(enough(rule, one_by_one(ranks(100)), 0.1)) << "as many as allowed";
}

TEST(Enough, needs_its_rounds_however_well_the_samples_of_one_agree) {
  const StopRule rule = {.at_least = 10, .at_most = 1000, .rounds = 6, .tight = 0.01, .seconds = 1};
  EXPECT_FALSE(enough(rule, rounds_of({7, 7, 7, 7, 7}, 20), 0.1));
  EXPECT_FALSE(enough(rule, rounds_of({7, 7, 7, 7, 7}, 20), 1.1)) << "a little longer";
  EXPECT_TRUE(enough(rule, rounds_of({7, 7, 7, 7, 7, 7}, 20), 0.1));
  EXPECT_FALSE(enough(rule, rounds_of({7, 7, 7, 7, 7, 8}, 20), 0.1)) << "they disagree";
}

TEST(Enough, stops_early_only_far_beyond_the_budget) {
  const StopRule rule = {.at_least = 10, .at_most = 100, .rounds = 6, .tight = 0.01, .seconds = 1};
  EXPECT_FALSE(enough(rule, one_by_one(ranks(3)), 2));
  EXPECT_TRUE(enough(rule, one_by_one(ranks(3)), 5));
  EXPECT_FALSE(enough(rule, one_by_one(ranks(2)), 500)) << "two say nothing";
}

TEST(ClockNoise, is_half_of_where_the_middle_nine_tenths_lie) {
  EXPECT_EQ(clock_noise(ranks(100)), 89.0 / 2) << "from 6 to 95";
  EXPECT_EQ(clock_noise(ranks(5)), 2) << "all of few";
  EXPECT_EQ(clock_noise(std::vector<double>{3}), 0);
  EXPECT_EQ(clock_noise({}), 0);
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

TEST(CompareTimes, says_nothing_of_a_difference_that_the_clocks_may_be_off) {
  const MedianInterval a = interval(4400, 4420, 4440);
  const MedianInterval b = interval(4110, 4130, 4150);
  EXPECT_EQ(compare_times(a, b), Outcome::kFaster);
  EXPECT_EQ(compare_times(a, b, 280), Outcome::kFaster);
  EXPECT_EQ(compare_times(a, b, 300), Outcome::kSame);
  EXPECT_EQ(compare_times(b, a, 300), Outcome::kSame);
  EXPECT_EQ(compare_times(a, b, 3000), Outcome::kAmbiguous) << "such a clock says nothing";
}

TEST(CompareTimes, asks_more_of_ranges_than_of_intervals) {
  MedianInterval few = interval(78, 80, 82);
  few.known = false;
  EXPECT_EQ(compare_times(interval(98, 100, 102), few), Outcome::kAmbiguous);
  EXPECT_EQ(compare_times(few, interval(98, 100, 102)), Outcome::kAmbiguous);
  EXPECT_EQ(compare_times(interval(198, 200, 202), few), Outcome::kFaster);
  EXPECT_EQ(compare_times(few, interval(198, 200, 202)), Outcome::kSlower);
  EXPECT_EQ(compare_times(few, few), Outcome::kSame);
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
