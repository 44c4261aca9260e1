// What came and went: the time of it is that of a counter.
#include "explain/counter_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::RunMaker;
using ::testing::HasSubstr;

/// A run in which all kernels take `times` as long in the third quarter of its steps.
RunMaker with_window(unsigned seed, double times) {
  RunMaker run(seed);
  run.steps().count = 80;
  run.stretch = [=](Part part, std::size_t step) {
    return is_compute_part(part) && step >= 40 && step < 60 ? times : 1.0;
  };
  return run;
}

void set_while(CounterSide& counters, const std::string& name, std::size_t begin, std::size_t end,
               double value) {
  for (CounterValues& values : counters) {
    if (values.counter != name) continue;
    for (std::size_t i = begin; i < end; ++i) values.values[i] = value;
  }
}

TEST(CounterWindows, a_clock_that_fell_for_a_while_is_named_with_its_time) {
  RunMaker flat = with_window(1, 1);
  RunMaker slower = with_window(2, 1.5);
  ComparedSide sides[2] = {flat.make(), slower.make()};
  set_while(sides[1].counters, "gpu_sm_frequency", 30, 45, 1320);  // of 60 samples
  const Comparison comparison = compare(sides[0], sides[1]);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.confidence, Confidence::kMedium);
  EXPECT_THAT(comparison.verdict.text, HasSubstr("from 3.87 s to 5.87 s"));
}

TEST(CounterWindows, of_a_counter_that_steps_do_not_follow_are_not_named) {
  RunMaker flat = with_window(1, 1);
  RunMaker slower = with_window(2, 1.5);
  ComparedSide sides[2] = {flat.make(), slower.make()};
  set_while(sides[1].counters, "gpu_sm_frequency", 2, 17, 1320);
  EXPECT_NE(compare(sides[0], sides[1]).verdict.verdict, VerdictClass::kGpuClock);
}

TEST(CounterWindows, are_stretches_that_the_other_run_never_had) {
  RunMaker one(1);
  RunMaker other(2);
  ComparedSide sides[2] = {one.make(), other.make()};
  EXPECT_TRUE(counter_windows(sides[0].counters, sides[1].counters).empty());
  set_while(sides[1].counters, "gpu_sm_frequency", 20, 22, 1320);
  EXPECT_TRUE(counter_windows(sides[0].counters, sides[1].counters).empty()) << "two samples";
  set_while(sides[1].counters, "gpu_sm_frequency", 20, 26, 1320);
  ASSERT_EQ(counter_windows(sides[0].counters, sides[1].counters).size(), 1U);
  set_while(sides[1].counters, "gpu_sm_frequency", 0, 60, 1320);
  EXPECT_TRUE(counter_windows(sides[0].counters, sides[1].counters).empty()) << "all of the run";
  set_while(sides[1].counters, "gpu_sm_frequency", 0, 60, 2500);
  EXPECT_TRUE(counter_windows(sides[0].counters, sides[1].counters).empty()) << "no harm";
}

}  // namespace
}  // namespace tactus
