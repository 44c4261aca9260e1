#include "kernels/trace/call_lines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/kernel_report.h"
#include "support/run_text.h"

namespace tactus {
namespace {

/// One op with arguments, and the kernel that it launches; more events before them.
tactus::Run run_with(const std::string& op_args, const std::string& more = "") {
  return testing::import_json(
      "[" + more +
      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":20,"args":{)" +
      op_args +
      R"(}},{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":15,)"
      R"("dur":2,"args":{"correlation":1}},{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,)"
      R"("ts":50,"dur":5,"args":{"device":0,"stream":7,"correlation":1}}])");
}

/// "file:line function (kind of the source's line)"
std::string line_of(const tactus::Run& run) {
  const KernelReport report = report_kernels(run, {});
  const RowOrigin& origin = report.origins.at(0);
  const std::string kind(origin.source ? line_kind_name(origin.source->line_kind) : "no source");
  if (!origin.call_line) return "none (" + kind + ")";
  return fmt::format("{}:{} {} ({})", origin.call_line->file, origin.call_line->line,
                     origin.call_line->function, kind);
}

const std::string kFrame =
    R"({"ph":"X","cat":"python_function","name":"model.py(200): forward","pid":1,"tid":1,)"
    R"("ts":0,"dur":100},)";
const std::string kOldStack =
    R"("Call stack":"torch/functional.py(3): linear;model.py(217): forward;main.py(1): <module>")";
const std::string kTraceback =
    R"~("stack_trace":"File \"model.py\", line 217, in forward\n    x = self.mlp(x)")~";

TEST(CallLines, of_python_frames_are_not_known) {
  EXPECT_EQ(line_of(run_with("", kFrame)), "none (def)");
}

TEST(CallLines, come_from_the_traceback_of_an_op_before_all_else) {
  EXPECT_EQ(line_of(run_with(kTraceback)), "model.py:217 forward (call)");
  EXPECT_EQ(line_of(run_with(kTraceback, kFrame)), "model.py:217 forward (call)");
}

TEST(CallLines, come_from_a_call_stack_only_if_no_frames_were_recorded) {
  EXPECT_EQ(line_of(run_with(kOldStack)), "model.py:217 forward (call)");
  EXPECT_EQ(line_of(run_with(kOldStack, kFrame)), "none (def)");
}

TEST(CallLines, are_not_made_up_from_odd_texts) {
  EXPECT_EQ(line_of(run_with(R"("stack_trace":"No model stack trace available")", kFrame)),
            "none (def)");
  EXPECT_EQ(line_of(run_with(R"("stack_trace":7)", kFrame)), "none (def)");
  EXPECT_EQ(line_of(run_with(R"("stack_trace":["a"])", kFrame)), "none (def)");
}

TEST(CallLines, are_rows_of_their_own_by_source) {
  const KernelReport report = report_kernels(run_with(kTraceback), {.by = GroupBy::kSource});
  ASSERT_EQ(report.folded.size(), 1U);
  EXPECT_EQ(report.folded[0].sum.name, "model.py:217 (call): forward");
  EXPECT_EQ(report.folded[0].line_kind, LineKind::kCall);
}

}  // namespace
}  // namespace tactus
