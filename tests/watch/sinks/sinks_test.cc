#include "watch/sinks/sinks.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "record/recorded_program.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus::watch {
namespace {

TEST(Sinks, what_a_server_that_hangs_was_sent_is_not_forgotten) {
  std::mutex mutex;
  std::condition_variable wakes;
  bool is_sent = false;
  bool may_go = false;
  BoundedWorker worker("webhook", 8, [&](const std::string&) {
    std::unique_lock lock(mutex);
    is_sent = true;
    wakes.notify_all();
    wakes.wait(lock, [&] { return may_go; });
    return true;
  });
  for (int i = 0; i < 3; ++i) worker.offer("x");
  {
    std::unique_lock lock(mutex);
    wakes.wait(lock, [&] { return is_sent; });
  }
  worker.finish(std::chrono::milliseconds(1));
  EXPECT_EQ(worker.delivered(), 0U);
  EXPECT_EQ(worker.dropped(), 3U);
  const std::lock_guard lock(mutex);
  may_go = true;
  wakes.notify_all();
}

TEST(Sinks, a_disk_that_is_full_is_told_and_ends_with_3) {
  const testing::TemporaryFolder folder;
  std::string steps = "job_name,start_ts,duration_us,launches\n";
  for (int i = 0; i < 200; ++i) steps += "a," + std::to_string(10'000 * i) + ",9000,40\n";
  const testing::Ended ended = testing::run_command(
      TACTUS_TOOL " watch --json-lines /dev/full --csv " + folder.write("steps.csv", steps));
  EXPECT_EQ(ended.code, 3);
  EXPECT_NE(ended.out.find("json_lines: 1 of 1 message not delivered"), std::string::npos)
      << ended.out;
}

}  // namespace
}  // namespace tactus::watch
