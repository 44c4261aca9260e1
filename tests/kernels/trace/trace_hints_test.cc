#include <gtest/gtest.h>

#include "kernels/kernel_report.h"
#include "support/run_text.h"

namespace tactus {
namespace {

std::string kernel_event(const std::string& name, int start, int correlation) {
  return R"(,{"ph":"X","cat":"kernel","name":")" + name + R"(","pid":0,"tid":7,"ts":)" +
         std::to_string(start) + R"(,"dur":10,"args":{"device":0,"stream":7,"grid":[8,1,1],)" +
         R"("correlation":)" + std::to_string(correlation) + "}}";
}

TEST(TraceHints, about_small_grids_leave_out_collectives) {
  const auto run = testing::import_json(
      R"({"deviceProperties":[{"id":0,"name":"","numSms":132}],"traceEvents":[)"
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":1})" +
      kernel_event("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 10,
                   1) +
      kernel_event("void multimem_all_reduce_kernel<c10::BFloat16, 16>(int)", 30, 2) +
      kernel_event("mine", 50, 3) + "]}");
  const KernelReport report = report_kernels(run, {});
  const auto hint = std::find_if(report.hints.begin(), report.hints.end(),
                                 [](const Hint& found) { return found.kind == "small_grids"; });
  ASSERT_NE(hint, report.hints.end());
  EXPECT_EQ(hint->rows, (std::vector<std::string>{"mine"}));
  EXPECT_EQ(hint->total_ns, 10000);
}

}  // namespace
}  // namespace tactus
