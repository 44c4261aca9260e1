// tactus record --ring: the last seconds, until something happens.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "record/recorded_program.h"
#include "record/ring/backlog.h"
#include "record/ring/trigger.h"
#include "run/tact/tact_file.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

using testing::count_of;
using testing::Ended;
using testing::program;
using testing::run_command;
using testing::start_command;
using testing::TemporaryFolder;

Run open_ring(const std::string& path) {
  Result<Run> opened = open_run(path, 1);
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
  return opened ? std::move(*opened) : Run();
}

std::int64_t span_of(const Run& run) {
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    first = std::min(first, run.slices.start()[row]);
    last = std::max(last, run.slices.start()[row]);
  }
  return last - first;
}

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Ring, keeps_the_last_seconds_of_a_program_that_ends) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.tact");
  const Ended ended =
      run_command(testing::record_to(file, "--ring 0.4") + program("server 3500 4"));
  EXPECT_EQ(ended.code, 0);
  const auto run = open_ring(file);
  EXPECT_GT(count_of(run, "cuLaunchKernel"), 100u);
  EXPECT_LT(count_of(run, "cuLaunchKernel"), 3500u * 5);
  // A batch of 200 ms more, at most, unless the machine is very busy.
  EXPECT_LT(span_of(run), 5 * kSecond);
}

TEST(Ring, a_signal_is_a_trigger_and_the_program_runs_on) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.tact");
  const int recorder =
      start_command({TACTUS_TOOL, "record", "-q", "--ring", "1", "-o", file, "--", "sh", "-c",
                     // The recorder is another process: it needs its turn to see the signal.
                     "sleep 0.5; kill -USR1 $PPID; sleep 0.5; " +
                         program("server 200 4 >/dev/null") + "; exit 7"});
  EXPECT_EQ(testing::wait_for(recorder), 7);
  const auto run = open_ring(file);
  EXPECT_EQ(count_of(run, "cuLaunchKernel"), 0u);  // they came after the trigger
}

TEST(Ring, a_slow_step_is_a_trigger) {
  const TemporaryFolder folder;
  const Ended ended =
      run_command(testing::record_to(folder.file("run.tact"), "--json --ring 5 --slower 0.05") +
                  program("server 4000 4"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.out.find(R"("ended_by":"trigger")"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(R"("trigger":"a step of )"), std::string::npos) << ended.out;
}

TEST(Ring, the_trigger_finds_the_recorder_by_a_process_that_it_records) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.tact");
  const int server = start_command({"sleep", "100"});
  const int recorder = start_command(
      {TACTUS_TOOL, "record", "-q", "--ring", "1", "--pid", std::to_string(server), "-o", file});
  EXPECT_TRUE(testing::wait_until([&] {
    return run_command(TACTUS_TOOL " record -q --trigger " + std::to_string(server)).code == 0;
  }));
  EXPECT_EQ(testing::wait_for(recorder), 0);
  kill(server, SIGKILL);
  testing::wait_for(server);
  EXPECT_GT(open_ring(file).counters.rows, 0u);
}

TEST(Ring, the_trigger_spares_programs_that_are_not_a_recorder) {
  const int other = start_command({"sleep", "100"});
  EXPECT_FALSE(record::trigger(other));
  EXPECT_EQ(kill(other, 0), 0);
  kill(other, SIGKILL);
  testing::wait_for(other);
}

TEST(Ring, slower_without_ring_is_a_mistake) {
  EXPECT_EQ(run_command(TACTUS_TOOL " record --slower 5 -- true").code, 2);
}

record::Batch batch_at(std::int64_t time_ns, std::size_t samples) {
  record::Batch batch;
  batch.time_ns = time_ns;
  batch.samples.resize(samples);
  return batch;
}

TEST(Backlog, forgets_what_is_too_old) {
  record::Backlog backlog(1.0, 1 << 20);
  std::vector<std::int64_t> left;
  for (std::int64_t i = 0; i < 10; ++i) {
    backlog.push(batch_at(i * kSecond / 2, 1),
                 [&](record::Batch& old) { left.push_back(old.time_ns); });
  }
  EXPECT_EQ(left.size(), 7u);
  const std::deque<record::Batch> kept = backlog.take();
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept.front().time_ns, 7 * kSecond / 2);
  EXPECT_FALSE(backlog.was_full());
}

TEST(Backlog, forgets_more_if_memory_is_small) {
  record::Backlog backlog(100, 100 * sizeof(meters::MeterSample));
  for (std::int64_t i = 0; i < 10; ++i) backlog.push(batch_at(i, 60), [](record::Batch&) {});
  EXPECT_EQ(backlog.take().size(), 1u);
  EXPECT_TRUE(backlog.was_full());
}

}  // namespace
}  // namespace tactus
