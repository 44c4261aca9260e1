// Machines with moods: levels that last for many steps and hide what else changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::RunMaker;
using ::testing::HasSubstr;

/// A run whose host is 1.6 times slower in stretches of `lasts` steps, every other one.
RunMaker moody(unsigned seed, std::size_t lasts, bool begins_slow) {
  RunMaker run(seed);
  run.steps().count = 220;
  run.stretch = [=](Part part, std::size_t step) {
    const bool is_slow = (step / lasts) % 3 == (begins_slow ? 0U : 2U);
    return is_host_part(part) && is_slow ? 1.6 : 1.0;
  };
  return run;
}

/// False without an interval, too.
bool excludes_1(const Change& change) {
  return change.low > 1 || change.high < 1;
}

TEST(MoodsOfTheMachine, are_not_taken_for_a_change) {
  RunMaker a = moody(1, 25, true);
  RunMaker b = moody(2, 25, false);
  const Comparison comparison = made::compare(a, b);
  EXPECT_FALSE(excludes_1(*comparison.change)) << comparison.verdict.text;
}

TEST(MoodsOfTheMachine, do_not_hide_what_undisturbed_steps_show) {
  RunMaker a = moody(1, 25, true);
  RunMaker b = moody(2, 25, false);
  b.steps().host_times(1.1);
  b.counters["cpu_frequency"] /= 1.1;
  const Comparison comparison = made::compare(a, b);
  EXPECT_FALSE(excludes_1(*comparison.change)) << "the typical step is too noisy";
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuFrequency) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kSlower);
  EXPECT_EQ(comparison.verdict.confidence, Confidence::kMedium);
  EXPECT_THAT(comparison.verdict.text, HasSubstr("undisturbed decode steps take 1.0"));
}

TEST(MoodsOfTheMachine, do_not_slow_kernels) {
  RunMaker a = moody(1, 25, true);
  RunMaker b = moody(2, 25, false);
  b.steps().kernels_times(1.15);
  b.counters["gpu_sm_frequency"] /= 1.15;
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
}

TEST(MoodsOfTheMachine, a_clock_that_never_moves_within_a_run_can_differ_between_runs) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().kernels_times(1 / 0.9);
  ComparedSide sides[2] = {a.make(), b.make()};
  for (std::size_t side = 0; side < 2; ++side) {
    for (CounterValues& values : sides[side].counters) {
      if (values.counter == "gpu_sm_frequency") values.values.assign(20, side == 0 ? 1980 : 1782);
    }
  }
  const Comparison comparison = compare(sides[0], sides[1]);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
}

TEST(MoodsOfTheMachine, that_short_recordings_do_not_show_do_not_widen_their_intervals) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) run->steps().count = 24;
  b.steps().host_times(3);
  const Comparison comparison = made::compare(a, b);
  EXPECT_LT(comparison.change->high / comparison.change->low, 1.02) << comparison.verdict.text;
}

TEST(MoodsOfTheMachine, leave_the_mean_no_more_certain_than_the_typical_step) {
  // Contexts grow and begin anew; three stalls hide in the mean that neighbours are alike.
  RunMaker runs[2] = {RunMaker(1), RunMaker(2)};
  for (RunMaker& run : runs) {
    run.steps().count = 220;
    run.stretch = [&](Part part, std::size_t step) {
      const std::size_t place = &run == &runs[0] ? 9 : 31;
      if (part == Part::kHostCode && step % 100 == place) return 2.0;
      return part == part_of(Family::kAttention) ? 1 + static_cast<double>(step % 55) / 20 : 1.0;
    };
  }
  const Change change = *made::compare(runs[0], runs[1]).change;
  ASSERT_FALSE(std::isnan(change.low));
  ASSERT_FALSE(std::isnan(change.mean.low));
  EXPECT_GE(change.mean.high / change.mean.low, change.high / change.low * 0.999999);
}

}  // namespace
}  // namespace tactus
