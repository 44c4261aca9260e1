#include "cycles/passes/loops.h"

#include <gtest/gtest.h>

#include "cycles/cycles.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::import_json;

std::string slice(const std::string& category, const std::string& name, const std::string& pid,
                  int tid, int ts, int dur, int correlation) {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":)" + pid +
         R"(,"tid":)" + std::to_string(tid) + R"(,"ts":)" + std::to_string(ts) + R"(,"dur":)" +
         std::to_string(dur) + R"(,"args":{"correlation":)" + std::to_string(correlation) + "}},";
}
std::string launch(int pid, int tid, int ts, int correlation) {
  return slice("cuda_runtime", "cudaLaunchKernel", std::to_string(pid), tid, ts, 2, correlation);
}
std::string kernel(const std::string& pid, int ts, int correlation) {
  return slice("kernel", "k", pid, 7, ts, 3, correlation);
}

std::int64_t pid_of(const Run& run, const Loop& loop) {
  return run.processes[loop.process].os_pid.value_or(-1);
}

TEST(Loops, belong_to_the_process_that_launches_most) {
  const auto run = import_json("[" + launch(5, 5, 1, 1) + launch(6, 6, 2, 2) + launch(6, 60, 3, 3) +
                               launch(6, 60, 4, 4) + kernel("0", 10, 1) + kernel("0", 20, 2) +
                               kernel("0", 30, 3) + kernel("0", 40, 4) + kernel("1", 50, 99));
  const Loops loops = find_loops(run, {});
  ASSERT_EQ(loops.loops.size(), 2U);
  EXPECT_EQ(pid_of(run, loops.loops[0]), 5);
  EXPECT_EQ(pid_of(run, loops.loops[1]), 6);
  ASSERT_TRUE(loops.loops[1].track);
  const ThreadId thread = run.tracks[*loops.loops[1].track].thread;
  EXPECT_EQ(run.threads[thread.value].tid.value, 60);
  // Nothing launched the last kernel.
  EXPECT_EQ(loops.work.back().loop, 1U);
  EXPECT_EQ(loops_of_processes(run, loops), std::vector<std::uint32_t>({0, 1, kNoLoop, kNoLoop}));
}

TEST(Loops, belong_to_the_device_if_nobody_is_known_to_launch) {
  const auto run = import_json(
      "[" + slice("cpu_op", "a", "5", 5, 1, 2, 0) + slice("cpu_op", "a", "6", 6, 1, 2, 0) +
      kernel("0", 10, 0) + kernel(R"-("GPU 1 (6)")-", 20, 0) + kernel(R"-("GPU 2 (9)")-", 30, 0));
  const Loops loops = find_loops(run, {});
  ASSERT_EQ(loops.loops.size(), 3U);
  EXPECT_EQ(pid_of(run, loops.loops[0]), 6);
  EXPECT_EQ(pid_of(run, loops.loops[1]), 0);
  EXPECT_EQ(pid_of(run, loops.loops[2]), 9);
}

TEST(Loops, are_found_for_very_many_processes) {
  constexpr int kMany = 50'000;
  std::string text = "[";
  for (int i = 0; i < kMany; ++i) {
    const std::string pid = std::to_string(i + 1);
    const std::string step = "step of process " + pid;
    for (int turn = 0; turn < 2; ++turn) {
      const int ts = 100 * turn;
      const int id = 2 * i + turn + 1;
      text += slice("user_annotation", step, pid, i + 1, ts, 90, 0);
      text += launch(i + 1, i + 1, ts + 10, id);
      text += kernel(R"("GPU 0 ()" + pid + ")\"", ts + 20, id);
    }
  }
  const auto run = import_json(text);
  const Loops loops = find_loops(run, {});
  EXPECT_EQ(loops.loops.size(), static_cast<std::size_t>(kMany));
  const Result<Cycles> cycles = find_cycles(run, {});
  ASSERT_TRUE(cycles);
  EXPECT_EQ(cycles->cycles.size(), 2U * kMany);
}

}  // namespace
}  // namespace tactus
