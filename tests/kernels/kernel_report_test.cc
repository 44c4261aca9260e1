#include "kernels/kernel_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/kernel_pairs.h"
#include "names/short_name.h"
#include "support/run_text.h"

namespace tactus {
namespace {

/// Ops one after the other, each launching its kernels back to back.
class Program {
 public:
  void call(const std::string& op, const std::vector<std::string>& kernels, int kernel_us = 10,
            const std::string& grid = "[264, 1, 1]") {
    const int begin = host_us_;
    for (const std::string& kernel : kernels) {
      ++correlation_;
      events_ += fmt::format(
          R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},)"
          R"("dur":2,"args":{{"correlation":{}}}}},)",
          host_us_ + 1, correlation_);
      device_us_ = std::max(device_us_, host_us_ + 4);
      events_ += fmt::format(
          R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},"args":)"
          R"({{"device":0,"stream":7,"correlation":{},"grid":{},"shared memory":200000}}}},)",
          kernel, device_us_, kernel_us, correlation_, grid);
      device_us_ += kernel_us;
      host_us_ += 5;
    }
    events_ +=
        fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":{},"dur":{}}},)",
                    op, begin, host_us_ - begin);
  }
  void pause(int us) { host_us_ += us; }

  tactus::Run run() const {
    return testing::import_json(
        R"({"deviceProperties":[{"id":0,"name":"NVIDIA H200","numSms":132}],"traceEvents":[)" +
        events_.substr(0, events_.size() - 1) + "]}");
  }

 private:
  std::string events_;
  int host_us_ = 0;
  int device_us_ = 0;
  int correlation_ = 0;
};

const std::string kSplitK = "nvjet_sm90_tst_64x32_64x16_2x1_v_bz_splitK_TNT";
const std::string kReduce = "void cublasLt::splitKreduce_kernel<32, 16, int, float, bf16>(int)";
const std::string kPrepare = "flash::prepare_varlen_num_blocks_kernel<1, true>(int)";
const std::string kForward = "flash::FlashAttnFwdSm90<int>";
const std::string kCombine = "flash::FlashAttnFwdCombine<int>";

TEST(KernelReport, finds_kernels_that_one_call_launches_and_their_optional_tails) {
  Program program;
  for (int i = 0; i < 3; ++i) program.call("sgl_kernel::fwd", {kPrepare, kForward, kCombine});
  program.call("sgl_kernel::fwd", {kPrepare, kForward});
  program.call("aten::mm", {kSplitK, kReduce});
  program.call("aten::mm", {"nvjet_sm90_tst_64x32_64x16_2x1_v_bz_TNT"});
  const KernelReport report = report_kernels(program.run(), {});
  ASSERT_EQ(report.groups.size(), 2U);
  const LaunchGroup& attention = report.groups[0];
  EXPECT_EQ(attention.name, "attention");
  ASSERT_EQ(attention.members.size(), 3U);
  EXPECT_EQ(attention.members[0].kernels, std::vector<std::string>{kPrepare});
  EXPECT_FALSE(attention.members[1].optional);
  EXPECT_TRUE(attention.members[2].optional);
  EXPECT_EQ(attention.instances, 4);
  EXPECT_EQ(attention.tail_absent, 1);
  EXPECT_EQ(attention.call->op, "sgl_kernel::fwd");
  EXPECT_TRUE(attention.intercept_as_one);
  EXPECT_EQ(report.groups[1].name, "split-K GEMM");
  EXPECT_EQ(report.groups[1].instances, 1);
}

TEST(KernelReport, sums_kernels_up_by_family_operator_and_group) {
  Program program;
  program.call("aten::mm", {kSplitK, kReduce});
  program.call("aten::mm", {"nvjet_sm90_tst_128x32_64x16_2x1_v_bz_TNT"});
  const auto run = program.run();
  const auto labels = [&](GroupBy by) {
    std::vector<std::string> list;
    for (const FoldedRow& row : report_kernels(run, {.by = by}).folded) {
      list.push_back(fmt::format("{} {} {}", row.sum.name, row.kernels, row.sum.instances));
    }
    return list;
  };
  EXPECT_EQ(labels(GroupBy::kFamily), (std::vector<std::string>{"gemm 2 2", "splitk_reduce 1 1"}));
  EXPECT_EQ(labels(GroupBy::kOperator),
            (std::vector<std::string>{"gemm 2 2", "splitk_reduce 1 1"}));
  EXPECT_EQ(labels(GroupBy::kGroup), (std::vector<std::string>{"split-K GEMM (aten::mm) 2 1"}));
}

const Hint* find(const KernelReport& report, std::string_view kind) {
  for (const Hint& hint : report.hints) {
    if (hint.kind == kind) return &hint;
  }
  return nullptr;
}

TEST(KernelReport, hints_at_small_grids_and_at_waves_that_are_nearly_empty) {
  Program program;
  program.call("aten::mm", {"small"}, 10, "[8, 4, 1]");
  program.call("aten::mm", {"tail"}, 10, "[133, 1, 1]");
  program.call("aten::mm", {"full"}, 10, "[132, 2, 1]");
  const KernelReport report = report_kernels(program.run(), {});
  ASSERT_NE(find(report, "small_grids"), nullptr);
  EXPECT_EQ(find(report, "small_grids")->rows, std::vector<std::string>{"small"});
  ASSERT_NE(find(report, "tails"), nullptr);
  EXPECT_EQ(find(report, "tails")->rows, std::vector<std::string>{"tail"});
  EXPECT_EQ(find(report, "tails")->total_ns, 5000);
}

TEST(KernelReport, tells_idle_time_and_copies_apart_from_kernels) {
  const auto run = testing::import_json(
      R"([{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":0,"dur":10,"args":{"device":0,"stream":7}},)"
      R"({"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH","pid":0,"tid":7,"ts":20,"dur":5,"args":{"device":0,"stream":7}},)"
      R"({"ph":"X","cat":"kernel","name":"b","pid":0,"tid":8,"ts":22,"dur":10,"args":{"device":0,"stream":8}}])");
  const KernelReport report = report_kernels(run, {});
  ASSERT_EQ(report.other_work.size(), 2U);
  EXPECT_EQ(report.other_work[0].kind, "idle");
  EXPECT_EQ(report.other_work[0].total_ns, 10'000);
  EXPECT_EQ(report.other_work[1].name, "Memcpy DtoH");
}

TEST(KernelPairs, match_operators_whatever_their_kernels_are_called) {
  Program a;
  a.call("aten::mm", {"nvjet_sm90_tst_64x32_64x16_2x1_v_bz_TNT"}, 10);
  a.call("x", {kForward}, 7);
  Program b;
  b.call("aten::mm", {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn"}, 30);
  b.call("x", {"triton_poi_fused_add_0"}, 4);
  const KernelPairs pairs = pair_kernels(report_kernels(a.run(), {}), report_kernels(b.run(), {}));
  ASSERT_EQ(pairs.pairs.size(), 1U);
  EXPECT_EQ(pairs.pairs[0].op, "gemm");
  EXPECT_DOUBLE_EQ(pairs.pairs[0].ratio(), 3.0);
  ASSERT_EQ(pairs.only_a.size(), 1U);
  EXPECT_EQ(pairs.only_a[0].a_ns, 7'000);
  ASSERT_EQ(pairs.only_b.size(), 1U);
}

TEST(KernelPairs, of_one_phase_count_its_passes_and_warn_if_phases_are_not_alike) {
  const auto report = [](std::int64_t prefills, std::int64_t decodes) {
    KernelReport made;
    made.structure.passes = prefills + decodes;
    made.structure.phases = {{.phase = "prefill", .passes = prefills},
                             {.phase = "decode", .passes = decodes}};
    return made;
  };
  const KernelPairs decode = pair_kernels(report(2, 24), report(20, 30), Phase::kDecode);
  EXPECT_EQ(decode.a_passes, 24);
  EXPECT_EQ(decode.b_passes, 30);
  EXPECT_EQ(decode.warning, "");
  const KernelPairs all = pair_kernels(report(2, 24), report(20, 30));
  EXPECT_EQ(all.a_passes, 26);
  EXPECT_NE(all.warning.find("20 of 50 of B"), std::string::npos) << all.warning;
  EXPECT_EQ(pair_kernels(report(2, 24), report(3, 36)).warning, "");
}

TEST(KernelPairs, compare_the_time_per_pass) {
  // Four times as many passes, each as long as before.
  const auto report = [](std::int64_t passes) {
    Program program;
    for (std::int64_t i = 0; i < passes; ++i) {
      program.call("aten::mm", {"nvjet_sm90_tst_64x32_64x16_2x1_v_bz_TNT"}, 10);
    }
    KernelReport made = report_kernels(program.run(), {});
    made.structure.passes = passes;
    return made;
  };
  const KernelPairs pairs = pair_kernels(report(2), report(8));
  ASSERT_TRUE(pairs.knows_passes());
  EXPECT_DOUBLE_EQ(pairs.pairs.at(0).ratio(), 4.0);
  EXPECT_DOUBLE_EQ(pairs.ratio_per_pass(pairs.pairs[0]), 1.0);
  EXPECT_EQ(pairs.a_per_pass_ns(pairs.pairs[0]), 10'000);
  EXPECT_EQ(pairs.b_per_pass_ns(pairs.pairs[0]), 10'000);
}

TEST(ShortKernelName, leaves_out_what_is_around_the_kernel) {
  const auto shorten = [](std::string_view name) {
    return short_kernel_name(name, decode_kernel_name(name));
  };
  EXPECT_EQ(shorten("void cutlass::device_kernel<flash::enable_sm90_or_later<"
                    "flash::FlashAttnFwdSm90<int>>>(T1::Params)"),
            "FlashAttnFwdSm90");
  EXPECT_EQ(shorten("nvjet_tst_128x8_64x12_2x1_v_bz_TNT"), "nvjet_tst_128x8_64x12_2x1_v_bz_TNT");
  EXPECT_EQ(shorten("_ZN5aiter24add_rmsnorm_quant_kernelIfEEvPT_"), "add_rmsnorm_quant_kernel");
  EXPECT_EQ(shorten("void at::native::vectorized_elementwise_kernel<4, "
                    "at::native::FillFunctor<int>, std::array<char*, 1ul>>(int)"),
            "vectorized_elementwise_kernel (fill)");
  EXPECT_EQ(shorten(""), "");
  EXPECT_EQ(shorten("<<<("), "<<<(");
}

}  // namespace
}  // namespace tactus
