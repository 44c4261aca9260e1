// Steps that become longer and longer within one recording.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::RunMaker;
using ::testing::HasSubstr;

/// 400 steps whose kernels take `times` as long at the end.
RunMaker drifting(unsigned seed, double times) {
  RunMaker run(seed);
  run.steps().count = 400;
  run.stretch = [=](Part part, std::size_t step) {
    return is_compute_part(part) ? 1 + (times - 1) * static_cast<double>(step) / 399 : 1.0;
  };
  return run;
}

TEST(Drift, of_one_run_is_slower_on_average_and_more_so_at_the_end) {
  RunMaker flat = drifting(1, 1);
  RunMaker slower = drifting(2, 3);
  const Comparison comparison = made::compare(flat, slower);
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kSlower) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuContention) << "at the same clock";
  EXPECT_EQ(comparison.change->shape, "drift");
  // 7 of 15 ms take twice as long on average, and three times at the end.
  EXPECT_NEAR(comparison.change->mean.ratio, 22.0 / 15, 0.01);
  EXPECT_GT(comparison.change->mean.low, 1.44);
  EXPECT_LT(comparison.change->mean.high, 1.49);
  EXPECT_THAT(comparison.verdict.text, HasSubstr("more and more from step to step (1.8"));
}

TEST(Drift, of_both_runs_is_no_change) {
  RunMaker normal = drifting(1, 3);
  RunMaker other = drifting(2, 3);
  const Comparison comparison = made::compare(normal, other);
  EXPECT_NE(comparison.verdict.felt, FeltAs::kSlower) << comparison.verdict.text;
}

TEST(Drift, that_a_normal_run_has_too_is_not_claimed) {
  RunMaker normal = drifting(1, 2);
  RunMaker other = drifting(2, 3);
  EXPECT_EQ(made::compare(normal, other).verdict.verdict, VerdictClass::kUnknown);
}

TEST(Drift, as_small_as_moods_of_a_machine_is_not_claimed) {
  RunMaker flat = drifting(1, 1);
  RunMaker slower = drifting(2, 1.3);
  EXPECT_NE(made::compare(flat, slower).verdict.felt, FeltAs::kSlower);
}

TEST(Drift, of_a_clock_is_the_cause_though_neighbours_are_alike) {
  // Readings that go down all the time have no interval, and kernels that follow them have none.
  RunMaker flat = drifting(1, 1);
  RunMaker slower = drifting(2, 1.7);
  ComparedSide sides[2] = {flat.make(), slower.make()};
  for (CounterValues& values : sides[1].counters) {
    if (values.counter != "gpu_sm_frequency") continue;
    const auto last = static_cast<double>(values.values.size() - 1);
    for (std::size_t i = 0; i < values.values.size(); ++i) {
      values.values[i] = 1980 / (1 + 0.7 * static_cast<double>(i) / last);
    }
  }
  const Comparison comparison = compare(sides[0], sides[1]);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
}

}  // namespace
}  // namespace tactus
