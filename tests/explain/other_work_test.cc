// Steps that do other work, and became slower than the work can make them.
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::compare;
using made::RunMaker;

TEST(OtherWork, that_is_less_does_not_make_a_step_slower) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().tokens = 16;
  b.steps().kernels_times(1 / 0.6);
  b.counters["gpu_sm_frequency"] = 1980 * 0.6;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
}

TEST(OtherWork, explains_no_more_than_it_grew_by) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) run->counters = {{"host_cpu_usage", 6}};
  b.steps().tokens = 36;
  b.steps().kernels_times(1.8);
  Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuSlower) << comparison.verdict.text;

  RunMaker host(3);
  host.counters = {{"gpu_usage", 40}};
  a.counters = host.counters;
  host.steps().tokens = 36;
  host.steps().host_times(3);
  comparison = compare(a, host);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kHostSlower) << comparison.verdict.text;
}

TEST(OtherWork, of_which_nothing_is_known_may_slow_each_family_by_a_factor_of_its_own) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) {
    run->steps().tokens.reset();
    run->steps().blocks = 0;
  }
  b.steps().ms[part_of(Family::kGemm)] *= 1.3;
  b.steps().ms[part_of(Family::kAttention)] *= 3;
  b.steps().ms[part_of(Family::kNorm)] *= 2;
  Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kUnknown) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kSlower);

  RunMaker alike(3);
  alike.steps() = a.steps();
  alike.steps().kernels_times(1.6);
  comparison = compare(a, alike);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuContention) << comparison.verdict.text;
}

}  // namespace
}  // namespace tactus
