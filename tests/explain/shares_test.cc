// Who gets which part of a change, where several things changed at once.
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::compare;
using made::RunMaker;
using made::Steps;

TEST(Shares, what_a_clock_predicts_is_not_put_on_an_added_wait) {
  RunMaker a(1);
  RunMaker b(2);
  b.counters["cpu_frequency"] = 2100;
  b.steps().host_times(3500.0 / 2100);
  b.steps().waits = 2;
  b.steps().ms[Part::kHostCode] += 0.1;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuFrequency) << comparison.verdict.text;
}

TEST(Shares, an_added_wait_gets_what_the_clock_does_not_predict) {
  RunMaker a(1);
  RunMaker b(2);
  b.counters["cpu_frequency"] = 3300;
  b.steps().host_times(3500.0 / 3300);
  b.steps().waits = 2;
  b.steps().ms[Part::kHostCode] += 8;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kSyncAdded) << comparison.verdict.text;
}

TEST(Shares, a_replaced_kernel_does_not_make_all_others_slower) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) run->counters.clear();
  b.steps().kernels_times(1.4);
  b.gemm = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn";
  for (RunMaker* run : {&a, &b}) {
    run->steps().ms[part_of(Family::kGemm)] = 0.1 * (run == &b ? 1.4 : 1);
  }
  const Comparison slower = compare(a, b);
  EXPECT_EQ(slower.verdict.verdict, VerdictClass::kGpuSlower) << slower.verdict.text;
}

TEST(Shares, three_causes_of_a_third_each_are_several) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) {
    run->steps().ms[Part::kCopyToDevice] = 5;
    run->steps().copy_bytes = 64e6;
  }
  b.steps().ms[Part::kCopyToDevice] = 8;
  b.counters["gpu_sm_frequency"] = 1980 / 1.43;
  b.steps().kernels_times(1.43);
  b.steps().waits = 2;
  b.steps().ms[Part::kHostCode] += 3;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kSeveral) << comparison.verdict.text;
}

TEST(Shares, a_host_that_is_ten_percent_slower_throughout_is_explained_by_its_clock) {
  RunMaker a(1);
  RunMaker b(2);
  // The device idles before each kernel; what it does meanwhile hides nothing.
  for (RunMaker* run : {&a, &b}) run->steps().ms[Part::kHostCode] = 2;
  b.counters["cpu_frequency"] = 3500 / 1.1;
  b.steps().ms[Part::kLaunching] += 0.7;
  b.steps().ms[Part::kHostCode] += 0.4;
  b.steps().launch_us *= 1.1;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuFrequency) << comparison.verdict.text;
}

TEST(Shares, a_rank_that_stands_out_by_a_fifth_is_late_if_only_it_changed) {
  RunMaker a(1);
  RunMaker b(2);
  a.ranks = b.ranks = {{Steps()}, {Steps()}, {Steps()}, {Steps()}};
  for (RunMaker* run : {&a, &b}) run->counters.clear();
  b.ranks[2][0].kernels_times(1.4);  // 1.19 times its own work
  const Comparison one = compare(a, b);
  EXPECT_EQ(one.verdict.verdict, VerdictClass::kStraggler) << one.verdict.text;
  EXPECT_EQ(one.verdict.rank, 2);
  for (std::vector<Steps>& rank : b.ranks) rank[0] = Steps().kernels_times(1.4);
  const Comparison all = compare(a, b);
  EXPECT_EQ(all.verdict.verdict, VerdictClass::kGpuSlower) << all.verdict.text;
  EXPECT_FALSE(all.verdict.rank);
}

TEST(Shares, a_clock_that_was_read_twice_does_not_say_that_it_stayed) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().kernels_times(1.3);
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  for (ComparedSide* side : {&normal, &abnormal}) {
    for (CounterValues& values : side->counters) values.values.resize(2);
  }
  const Comparison few = tactus::compare(normal, abnormal);
  EXPECT_EQ(few.verdict.verdict, VerdictClass::kGpuSlower) << few.verdict.text;
}

TEST(Shares, six_readings_of_a_clock_that_all_lie_below_are_enough) {
  RunMaker a(1);
  RunMaker b(2);
  b.counters["gpu_sm_frequency"] = 1980 / 1.3;
  b.steps().kernels_times(1.3);
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  for (ComparedSide* side : {&normal, &abnormal}) {
    for (CounterValues& values : side->counters) values.values.resize(6);
  }
  const Comparison comparison = tactus::compare(normal, abnormal);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
}

TEST(Shares, nobody_else_is_blamed_where_meters_say_that_nobody_was_there) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().kernels_times(1.3);
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kGpuContention);
  a.counters["gpu_foreign_usage"] = b.counters["gpu_foreign_usage"] = 0;
  const Comparison alone = compare(a, b);
  EXPECT_EQ(alone.verdict.verdict, VerdictClass::kGpuSlower) << alone.verdict.text;
  EXPECT_EQ(compare(b, a).verdict.verdict, VerdictClass::kGpuSlower) << "the other way round";
}

TEST(Shares, a_device_is_not_slower_if_its_products_are_not) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) run->counters.clear();
  b.steps().ms[part_of(Family::kAttention)] *= 2.2;
  b.steps().ms[part_of(Family::kNorm)] *= 2.2;
  const Comparison comparison = compare(a, b);
  EXPECT_NE(comparison.verdict.verdict, VerdictClass::kGpuSlower) << comparison.verdict.text;
}

TEST(Shares, swapping_is_not_put_on_cores_that_are_free) {
  RunMaker a(1);
  RunMaker b(2);
  b.counters["host_cpu_usage"] = 30;
  a.counters["swap_in"] = 0;
  b.counters["swap_in"] = 50'000;
  b.steps().host_times(2.5);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kHostMemory) << comparison.verdict.text;
}

TEST(Shares, servers_for_prompts_and_servers_for_tokens_are_no_peers) {
  RunMaker a(1);
  RunMaker b(2);
  Steps prompts;
  prompts.phase = Phase::kPrefill;
  prompts.tokens = 2000;
  prompts.kernels_times(8);
  a.ranks = b.ranks = {{prompts}, {Steps()}};
  b.ranks[1][0].kernels_times(1.6).host_times(1.6);
  const Comparison comparison = compare(a, b);
  EXPECT_NE(comparison.verdict.verdict, VerdictClass::kStraggler) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.phase, "decode");
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kSlower);
}

}  // namespace
}  // namespace tactus
