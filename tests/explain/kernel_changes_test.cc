// Kernels that changed alone: what the device cannot have done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::compare;
using made::RunMaker;
using ::testing::HasSubstr;

std::array<RunMaker, 2> two_runs() {
  std::array<RunMaker, 2> runs = {RunMaker(1), RunMaker(2)};
  for (RunMaker& run : runs) {
    run.kernel_efforts = true;
    run.steps().context = 1000;
  }
  return runs;
}

TEST(KernelChanges, a_kernel_that_is_slower_alone_is_named) {
  auto [a, b] = two_runs();
  b.steps().ms[part_of(Family::kAttention)] *= 3;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kKernelsChanged) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "flash_fwd_kernel");
  EXPECT_EQ(comparison.verdict.confidence, Confidence::kMedium);
  EXPECT_GT(comparison.verdict.explains.value_or(0), 0.9);
  EXPECT_THAT(comparison.verdict.text, HasSubstr("flash_fwd_kernel takes 3.0"));
}

TEST(KernelChanges, a_kernel_that_a_compiler_numbered_anew_is_the_same_kernel) {
  for (const char* name : {"triton_poi_fused_mm_12", "triton_poi_fused_other_7"}) {
    auto [a, b] = two_runs();
    a.gemm = "triton_poi_fused_mm_7";
    b.gemm = name;
    const Comparison comparison = compare(a, b);
    const bool is_same = std::string_view(name).ends_with("mm_12");
    EXPECT_EQ(comparison.verdict.verdict,
              is_same ? VerdictClass::kNone : VerdictClass::kKernelsChanged)
        << name << ": " << comparison.verdict.text;
  }
}

TEST(KernelChanges, products_of_many_tokens_may_be_slower_by_a_clock_that_was_not_recorded) {
  for (const bool knows_clock : {true, false}) {
    auto [a, b] = two_runs();
    for (RunMaker* run : {&a, &b}) {
      run->steps().tokens = 8192;
      run->steps().phase = Phase::kPrefill;
      if (!knows_clock) run->counters.erase("gpu_sm_frequency");
    }
    b.steps().ms[part_of(Family::kGemm)] *= 3;
    const Comparison comparison = compare(a, b);
    EXPECT_EQ(comparison.verdict.verdict,
              knows_clock ? VerdictClass::kKernelsChanged : VerdictClass::kUnknown)
        << comparison.verdict.text;
  }
}

TEST(KernelChanges, all_that_memory_limits_may_be_slower_by_the_memory) {
  auto [a, b] = two_runs();
  for (RunMaker* run : {&a, &b}) {
    run->steps().tokens = 8192;
    run->steps().ms[part_of(Family::kNorm)] = 4;
  }
  b.steps().ms[part_of(Family::kNorm)] *= 3;
  b.steps().ms[part_of(Family::kAttention)] *= 3;
  const Comparison comparison = compare(a, b);
  EXPECT_NE(comparison.verdict.verdict, VerdictClass::kKernelsChanged) << comparison.verdict.text;
}

TEST(KernelChanges, a_slow_memory_does_not_slow_what_computing_limits) {
  for (const double tokens : {16.0, 8192.0}) {
    auto [a, b] = two_runs();
    a.counters["gpu_mem_frequency"] = 3200;
    b.counters["gpu_mem_frequency"] = 2400;
    for (RunMaker* run : {&a, &b}) {
      run->steps().tokens = tokens;
      run->steps().ms[part_of(Family::kGemm)] = 20;
    }
    b.steps().kernels_times(4.0 / 3);
    const Comparison comparison = compare(a, b);
    const bool is_memory = comparison.verdict.resource == "gpu_mem_frequency";
    EXPECT_EQ(is_memory, tokens < 100) << comparison.verdict.text;
  }
}

TEST(KernelChanges, some_kernels_that_are_launched_more_often_are_the_program) {
  auto [a, b] = two_runs();
  b.steps().launches_times["RMSNormKernel"] = 5;
  b.steps().ms[part_of(Family::kNorm)] *= 5;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kKernelsChanged) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "RMSNormKernel");
  EXPECT_THAT(comparison.verdict.text, HasSubstr("RMSNormKernel 1.17e+03 times instead of 233"));
}

TEST(KernelChanges, launches_by_many_calls_instead_of_a_graph_are_the_program) {
  auto [a, b] = two_runs();
  a.steps().calls = 1;
  a.steps().host_times(0.2);
  const Comparison slower = compare(a, b);
  EXPECT_EQ(slower.verdict.verdict, VerdictClass::kKernelsChanged) << slower.verdict.text;
  EXPECT_THAT(slower.verdict.text, HasSubstr("what one call launched before, as without CUDA"));
  const Comparison faster = compare(b, a);
  EXPECT_EQ(faster.verdict.verdict, VerdictClass::kKernelsChanged) << faster.verdict.text;
  EXPECT_EQ(faster.verdict.felt, FeltAs::kFaster);
  EXPECT_THAT(faster.verdict.text, HasSubstr("one call per step launch what 700 calls launched"));
}

TEST(KernelChanges, are_not_put_on_a_link_that_only_carries_more) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) run->steps().ms[part_of(Family::kCollective)] = 1;
  b.steps().ms[part_of(Family::kGemm)] *= 1.3;
  a.counters["gpu_link_receive"] = 24e9;
  b.counters["gpu_link_receive"] = 107e9;
  const Comparison comparison = compare(a, b);
  EXPECT_NE(comparison.verdict.verdict, VerdictClass::kNvlink) << comparison.verdict.text;
  EXPECT_EQ(made::seen_in(comparison), std::vector<VerdictClass>{VerdictClass::kNvlink});

  b.steps().ms[part_of(Family::kGemm)] = a.steps().ms[part_of(Family::kGemm)];
  b.steps().ms[part_of(Family::kCollective)] = 4;
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kNvlink);
}

TEST(KernelChanges, name_what_went_and_what_came) {
  RunMaker a(1);
  RunMaker b(2);
  b.gemm = "cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_64x4_tn_align8";
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kKernelsChanged);
  EXPECT_NE(comparison.verdict.text.find(" is gone and "), std::string::npos)
      << comparison.verdict.text;
  EXPECT_NE(comparison.verdict.text.find(" is new"), std::string::npos);
}

}  // namespace
}  // namespace tactus
