// Steps that do other work, and became slower than the work can make them.
#include <gtest/gtest.h>

#include "explain/made_runs.h"
#include "measure/kinds/step_kinds.h"

namespace tactus {
namespace {

using made::compare;
using made::RunMaker;
using made::Steps;

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

/// A program that says nothing about its steps: few prompts, many tokens.
RunMaker silent_run(unsigned seed) {
  RunMaker run(seed);
  run.ranks = {{Steps(), Steps()}};
  for (Steps& steps : run.ranks[0]) {
    steps.phase = Phase::kUnknown;
    steps.tokens.reset();
  }
  run.ranks[0][0].count = 20;
  run.ranks[0][0].blocks = 4096;
  run.ranks[0][0].kernels_times(8);
  run.ranks[0][1].count = 60;
  run.ranks[0][1].blocks = 32;
  return run;
}

/// As `tactus compare` prepares them.
Comparison compare_kinds(RunMaker& a, RunMaker& b) {
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  Measurement* const both[] = {normal.recordings.front().get(), abnormal.recordings.front().get()};
  find_step_kinds(both);
  return tactus::compare(normal, abnormal);
}

TEST(OtherWork, prompts_of_unknown_phase_do_not_hide_behind_tokens) {
  RunMaker a = silent_run(1);
  RunMaker b = silent_run(2);
  b.ranks[0][0].kernels_times(3);
  const Comparison comparison = compare_kinds(a, b);
  ASSERT_EQ(comparison.change->by_phase.size(), 2U);
  EXPECT_EQ(comparison.change->phase, "unknown 2");
  EXPECT_GT(comparison.change->ratio, 2);
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kSlower);
  EXPECT_NEAR(comparison.change->by_phase[0].ratio, 1, 0.02);
  EXPECT_NE(comparison.verdict.text.find("a step of kind 2 takes"), std::string::npos)
      << comparison.verdict.text;
}

TEST(OtherWork, shows_in_grids_that_follow_it_and_brings_other_kernels) {
  RunMaker a = silent_run(1);
  RunMaker b = silent_run(2);
  b.gemm = "nvjet_sm90_tst_320x128_64x3_1x2_h_bz_coopB_TNT";
  b.ranks[0][0].blocks *= 2;
  b.ranks[0][0].kernels_times(1.9);
  const Comparison comparison = compare_kinds(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged) << comparison.verdict.text;
}

TEST(OtherWork, of_one_token_more_does_not_hide_that_attention_alone_is_slower) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().tokens = 33;
  b.steps().ms[part_of(Family::kAttention)] *= 2.5;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged) << comparison.verdict.text;
  EXPECT_NE(comparison.verdict.text.find("attention alone takes 2.5"), std::string::npos)
      << comparison.verdict.text;
}

}  // namespace
}  // namespace tactus
