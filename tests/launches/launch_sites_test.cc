#include "launches/launch_sites.h"

#include <gtest/gtest.h>

#include "kernels/kernel_report.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/run_text.h"

namespace tactus {
namespace {

/// A slice of thread 1 of process 1, or of stream 7 for kernels.
std::string slice(const std::string& cat, const std::string& name, int start, int dur,
                  const std::string& args = "") {
  const std::string place = cat == "kernel" ? R"("pid":0,"tid":7)" : R"("pid":1,"tid":1)";
  return R"({"ph":"X","cat":")" + cat + R"(","name":")" + name + R"(",)" + place + R"(,"ts":)" +
         std::to_string(start) + R"(,"dur":)" + std::to_string(dur) + R"(,"args":{)" + args + "}}";
}

std::string call(const std::string& name, int start, int correlation,
                 const std::string& more = "") {
  return slice("cuda_runtime", name, start, 2,
               R"("correlation":)" + std::to_string(correlation) + more);
}

std::string kernel(const std::string& name, int start, int correlation) {
  return slice("kernel", name, start, 5,
               R"("device":0,"stream":7,"correlation":)" + std::to_string(correlation));
}

std::string trace(const std::vector<std::string>& events) {
  std::string text = "[";
  for (const std::string& event : events) text += (text.size() == 1 ? "" : ",") + event;
  return text + "]";
}

std::string name_at(const tactus::Run& run, std::uint32_t row) {
  if (row == kNoRow) return "none";
  return std::string(run.strings[StringId(static_cast<std::uint64_t>(run.slices.name()[row]))]);
}

/// "kernel < call < op < frame < module" of each kernel.
std::vector<std::string> sites(const tactus::Run& run) {
  const KernelInstances kernels = kernel_instances(run, {});
  std::vector<std::string> lines;
  const std::vector<LaunchSite> found = launch_sites(run, kernels.rows);
  for (std::size_t i = 0; i < found.size(); ++i) {
    lines.push_back(name_at(run, kernels.rows[i]) + " < " + name_at(run, found[i].call) + " < " +
                    name_at(run, found[i].op) + " < " + name_at(run, found[i].frame) + " < " +
                    name_at(run, found[i].module) + (found[i].captured ? " captured" : ""));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LaunchSites, are_the_innermost_op_frame_and_module_around_the_call) {
  const auto run = testing::import_json(trace({
      slice("python_function", "model.py(3): forward", 0, 100),
      slice("python_function", "nn.Module: Linear_0", 10, 50),
      slice("python_function", "torch/nn/linear.py(9): forward", 11, 48),
      slice("python_function", "<built-in function linear>", 12, 46),
      slice("cpu_op", "aten::linear", 13, 44),
      slice("cpu_op", "aten::mm", 14, 40),
      call("cudaLaunchKernel", 20, 1),
      slice("cpu_op", "aten::add", 70, 10),
      call("cudaLaunchKernel", 72, 2),
      call("cudaLaunchKernel", 200, 3),
      kernel("gemm", 100, 1),
      kernel("add", 110, 2),
      kernel("alone", 300, 3),
      kernel("unlinked", 400, 99),
  }));
  EXPECT_EQ(
      sites(run),
      (Lines{"gemm < cudaLaunchKernel < aten::mm < model.py(3): forward < nn.Module: Linear_0",
             "add < cudaLaunchKernel < aten::add < model.py(3): forward < none",
             "alone < cudaLaunchKernel < none < none < none",
             "unlinked < none < none < none < none"}));
}

TEST(LaunchSites, of_pytorch_count_where_the_program_has_no_frame) {
  const auto run = testing::import_json(trace({
      slice("python_function", "torch/a.py(1): outer", 0, 100),
      slice("python_function", "torch/b.py(2): inner", 10, 50),
      call("cudaLaunchKernel", 20, 1),
      kernel("k", 30, 1),
  }));
  EXPECT_EQ(sites(run), (Lines{"k < cudaLaunchKernel < none < torch/b.py(2): inner < none"}));
}

/// A capture of two launches; their kernels' names are given as ROCm gives them, or not at all.
Lines capture_events(bool named) {
  const auto name = [&](const std::string& kernel) {
    return named ? R"(,"kernel":")" + kernel + "\"" : std::string();
  };
  return {call("cudaStreamBeginCapture", 10, 90),         slice("cpu_op", "aten::mm", 20, 10),
          call("cudaLaunchKernel", 22, 91, name("gemm")), slice("cpu_op", "aten::silu", 40, 10),
          call("cudaLaunchKernel", 42, 92, name("silu")), call("cudaStreamEndCapture", 60, 93)};
}

TEST(LaunchSites, of_replayed_kernels_are_those_of_the_capture) {
  for (const bool named : {true, false}) {
    Lines events = capture_events(named);
    events.push_back(call("cudaGraphLaunch", 100, 5));
    events.push_back(kernel("gemm", 110, 5));
    events.push_back(kernel("silu", 120, 5));
    const auto run = testing::import_json(trace(events));
    EXPECT_EQ(sites(run), (Lines{"gemm < cudaLaunchKernel < aten::mm < none < none captured",
                                 "silu < cudaLaunchKernel < aten::silu < none < none captured"}));
  }
}

TEST(LaunchSites, of_a_capture_that_was_given_apart_are_found_and_its_kernels_do_not_count) {
  const testing::TemporaryFolder folder;
  Lines capture = capture_events(true);
  capture.push_back(call("cudaLaunchKernel", 70, 94));
  capture.push_back(kernel("warm_up", 80, 94));
  NoProgress progress;
  const auto imported =
      import_run({.inputs = {folder.write(
                      "run.json", trace({call("cudaGraphLaunch", 1000, 5), kernel("gemm", 1010, 5),
                                         kernel("silu", 1020, 5), kernel("extra", 1030, 5)}))},
                  .captures = {folder.write("capture.json", trace(capture))}},
                 progress);
  ASSERT_TRUE(imported);
  EXPECT_EQ(sites(imported->run),
            (Lines{"gemm < cudaLaunchKernel < aten::mm < none < none captured",
                   "silu < cudaLaunchKernel < aten::silu < none < none captured",
                   "extra < cudaGraphLaunch < none < none < none"}));
  EXPECT_EQ(imported->run.span()->begin_ns, 0);
}

TEST(LaunchSites, of_replayed_kernels_may_be_those_of_a_run_without_the_graph) {
  Lines events;
  const Lines layer = {"norm", "qkv", "rope", "attention", "out", "gate", "silu", "down"};
  for (int i = 0; i < 8; ++i) {
    events.push_back(slice("cpu_op", "op::" + layer[static_cast<std::size_t>(i)], 10 * i, 8));
    events.push_back(call("cudaLaunchKernel", 10 * i + 1, i + 1));
    events.push_back(kernel(layer[static_cast<std::size_t>(i)], 10 * i + 5, i + 1));
  }
  events.push_back(call("cudaGraphLaunch", 500, 50));
  for (int i = 0; i < 8; ++i) {
    events.push_back(kernel(layer[static_cast<std::size_t>(i)], 510 + 10 * i, 50));
  }
  const Lines found = sites(testing::import_json(trace(events)));
  ASSERT_EQ(found.size(), 16U);
  EXPECT_EQ(found[9], "qkv < cudaLaunchKernel < op::qkv < none < none captured");
}

TEST(Attribution, covers_the_recording_with_stacks_by_operator_and_python_line) {
  const auto input = testing::shared_file("data/traces/with_stack.json.gz");
  if (!input) GTEST_SKIP() << "the shared traces are not here";
  NoProgress progress;
  const auto imported = import_run({.inputs = {*input}}, progress);
  ASSERT_TRUE(imported);
  const KernelReport report = report_kernels(imported->run, {});
  EXPECT_GE(report.coverage.stack, 0.99);
  EXPECT_GE(report.coverage.with_op, 0.99);
  for (const RowOrigin& origin : report.origins) {
    ASSERT_TRUE(origin.source);
    EXPECT_TRUE(origin.source->line);
  }
}

TEST(Attribution, of_a_replayed_decode_step_comes_from_its_capture) {
  const auto input = testing::shared_file("data/public/vllm_decode_graph.json.gz");
  const auto capture = testing::shared_file("data/public/vllm_decode_graph.capture.json.gz");
  if (!input || !capture) GTEST_SKIP() << "the shared traces are not here";
  NoProgress progress;
  // A capture beside the trace is taken automatically.
  const testing::TemporaryFolder folder;
  std::filesystem::create_symlink(*input, folder.file("alone.json.gz"));
  const auto alone = import_run({.inputs = {folder.file("alone.json.gz")}}, progress);
  const auto with_capture = import_run({.inputs = {*input}}, progress);
  ASSERT_TRUE(alone && with_capture);
  const KernelReport before = report_kernels(alone->run, {});
  const KernelReport after = report_kernels(with_capture->run, {});
  EXPECT_EQ(before.table, after.table);
  EXPECT_EQ(before.coverage.capture, 0);
  EXPECT_GE(before.coverage.replayed, 0.97);
  EXPECT_GE(after.coverage.capture, 0.97);
  EXPECT_GE(after.coverage.shape, 0.99);
}

TEST(LaunchSites, of_stretches_do_not_depend_on_the_order_of_threads) {
  const auto op = [](const std::string& name, int tid, int start, int dur) {
    return R"({"ph":"X","cat":"cpu_op","name":")" + name + R"(","pid":1,"tid":)" +
           std::to_string(tid) + R"(,"ts":)" + std::to_string(start) + R"(,"dur":)" +
           std::to_string(dur) + "}";
  };
  // Thread 2 ends in the middle of thread 1; thread 3 has nothing that counts.
  const auto run = testing::import_json(trace(
      {op("first", 1, 0, 10), op("other", 2, 0, 30), op("inner", 2, 10, 10), op("last", 1, 20, 10),
       R"({"ph":"X","cat":"user_annotation","name":"note","pid":1,"tid":3,"ts":0,"dur":9})"}));
  ASSERT_EQ(run.tracks.size(), 3u);
  const std::vector<HostStretch> stretches = {
      {0, 5'000, 25'000}, {1, 0, 15'000}, {1, 18'000, 40'000}, {2, 1'000, 2'000}};
  Lines seen;
  for_each_site(run, stretches,
                [&](std::size_t stretch, std::int64_t from, std::int64_t to, const LaunchSite& at) {
                  seen.push_back(std::to_string(stretch) + ": " + std::to_string(from) + " " +
                                 std::to_string(to) + " " + name_at(run, at.op));
                });
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (Lines{"0: 10000 20000 none", "0: 20000 25000 last", "0: 5000 10000 first",
                         "1: 0 10000 other", "1: 10000 15000 inner", "2: 18000 20000 inner",
                         "2: 20000 30000 other", "2: 30000 40000 none", "3: 1000 2000 none"}));
}

}  // namespace
}  // namespace tactus
