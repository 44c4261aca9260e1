// A run that became faster is explained by what made the other one slower.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::compare;
using made::RunMaker;
using ::testing::HasSubstr;

/// Both orders of two runs.
struct Pair {
  Comparison slower;
  Comparison faster;
};
Pair both_ways(const std::function<void(RunMaker&)>& harm) {
  const auto make = [&](unsigned seed, bool is_harmed) {
    RunMaker run(seed);
    if (is_harmed) harm(run);
    return run;
  };
  RunMaker a = make(1, false), b = make(2, true);
  RunMaker c = make(2, true), d = make(1, false);
  return {compare(a, b), compare(c, d)};
}

TEST(Reversed, the_same_cause_is_named_both_ways) {
  struct Case {
    VerdictClass verdict;
    std::function<void(RunMaker&)> harm;
  };
  const Case cases[] = {
      {VerdictClass::kCpuContention,
       [](RunMaker& run) {
         run.counters["host_cpu_usage"] = 93;
         run.steps().host_times(2.5);
       }},
      {VerdictClass::kCpuFrequency,
       [](RunMaker& run) {
         run.counters["cpu_frequency"] /= 2;
         run.steps().host_times(2);
       }},
      {VerdictClass::kGpuClock,
       [](RunMaker& run) {
         run.counters["gpu_sm_frequency"] /= 1.3;
         run.steps().kernels_times(1.3);
       }},
      {VerdictClass::kSyncAdded,
       [](RunMaker& run) {
         run.steps().waits = 9;
         run.steps().ms[Part::kWaitCall] = 4;
       }},
      {VerdictClass::kWorkloadChanged,
       [](RunMaker& run) {
         run.steps().tokens = 64;
         run.steps().kernels_times(1.9);
       }},
  };
  for (const Case& one : cases) {
    const Pair pair = both_ways(one.harm);
    EXPECT_EQ(pair.slower.verdict.verdict, one.verdict) << pair.slower.verdict.text;
    EXPECT_EQ(pair.slower.verdict.felt, FeltAs::kSlower);
    EXPECT_EQ(pair.faster.verdict.verdict, one.verdict) << pair.faster.verdict.text;
    EXPECT_EQ(pair.faster.verdict.felt, FeltAs::kFaster);
    EXPECT_NEAR(pair.slower.change->ratio * pair.faster.change->ratio, 1, 1e-9);
    EXPECT_TRUE(pair.faster.next.empty()) << "what is gone needs no care";
  }
}

TEST(Reversed, words_have_the_normal_run_first) {
  const Pair pair = both_ways([](RunMaker& run) {
    run.counters["host_cpu_usage"] = 93;
    run.steps().host_times(2.5);
  });
  EXPECT_THAT(pair.slower.verdict.text, HasSubstr("rose from 6"));
  EXPECT_THAT(pair.faster.verdict.text, HasSubstr("fell from 93% to 6"));
}

TEST(Reversed, a_rank_that_is_not_late_any_more_is_named) {
  RunMaker late(1), even(2);
  late.ranks.resize(4, {made::Steps()});
  even.ranks.resize(4, {made::Steps()});
  late.ranks[2][0].kernels_times(3);
  const Comparison gone = compare(late, even);
  EXPECT_EQ(gone.verdict.verdict, VerdictClass::kStraggler) << gone.verdict.text;
  EXPECT_EQ(gone.verdict.rank, 2);
  EXPECT_EQ(gone.verdict.felt, FeltAs::kFaster);
  EXPECT_THAT(gone.verdict.text, HasSubstr("rank 2 is not late any more"));
}

}  // namespace
}  // namespace tactus
