// An injection that was started by itself, and the recordings that run meanwhile.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/json.h"
#include "drill/drill.h"
#include "inject/started_injection.h"
#include "record/recorded_program.h"
#include "run/tact/tact_file.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus::testing {
namespace {

/// Starts a recording of a server that lasts; it is there when this returns.
int start_recording(const std::string& file, const std::vector<std::string>& options = {}) {
  std::vector<std::string> words = {TACTUS_TOOL, "record", "-q", "-o", file};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", program("server"), "100000000", "5"});
  const int recorder = start_command(words);
  EXPECT_TRUE(wait_until([&] {
    const auto run = open_run(file, 1U);
    return run && run->slices.size() > 0;
  }));
  return recorder;
}

Json inject_once(const std::string& words) {
  const Ended ended = inject("-q --json network --intensity 0.0123 " + words);
  EXPECT_EQ(ended.code, 0) << ended.out;
  return ended.code == 0 ? Json::parse(ended.out) : Json();
}

int inject_long() {
  return start_long({"network", "--intensity", "0.0123"});
}

/// Ours: whoever works on this machine may inject something, too.
std::vector<drill::Injected> injections_of(const std::string& file, std::int64_t& origin_ns) {
  const auto run = open_run(file, 1U);
  EXPECT_TRUE(run);
  if (!run) return {};
  origin_ns = run->origin_ns;
  std::vector<drill::Injected> found = drill::injected_in(*run);
  std::erase_if(found, [](const auto& one) { return one.intensity != 0.0123; });
  return found;
}

TEST(InjectRecorded, the_truth_is_in_every_recording_of_this_host) {
  const TemporaryFolder folder;
  const int first = start_recording(folder.file("first.tact"));
  const int second = start_recording(folder.file("second.tact"));
  const Json said = inject_once("--seconds 0.5");
  kill(first, SIGTERM);
  kill(second, SIGTERM);
  wait_for(first);
  wait_for(second);
  for (const char* name : {"first.tact", "second.tact"}) {
    std::int64_t origin_ns = 0;
    const std::vector<drill::Injected> found = injections_of(folder.file(name), origin_ns);
    ASSERT_EQ(found.size(), 1U) << name;
    EXPECT_EQ(found[0].scenario, "network");
    EXPECT_EQ(found[0].shape, "step");
    EXPECT_DOUBLE_EQ(found[0].intensity, 0.0123);
    EXPECT_EQ(std::to_string(found[0].begin_ns + origin_ns), said.text_at("begin_ns"));
    EXPECT_EQ(std::to_string(found[0].end_ns + origin_ns), said.text_at("end_ns"));
    EXPECT_LE(found[0].asked_ns, found[0].begin_ns);
  }
}

TEST(InjectRecorded, one_that_is_over_at_once_is_known_too) {
  const TemporaryFolder folder;
  const int recorder = start_recording(folder.file("run.tact"));
  inject_once("--seconds 0.01");
  kill(recorder, SIGTERM);
  wait_for(recorder);
  std::int64_t origin_ns = 0;
  EXPECT_EQ(injections_of(folder.file("run.tact"), origin_ns).size(), 1U);
}

TEST(InjectRecorded, one_that_is_longer_than_the_recording_fills_it) {
  const TemporaryFolder folder;
  const int injector = inject_long();
  const int recorder = start_recording(folder.file("run.tact"));
  // The recorder asks five times per second.
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  kill(recorder, SIGTERM);
  wait_for(recorder);
  kill(injector, SIGTERM);
  wait_for(injector);
  std::int64_t origin_ns = 0;
  const std::vector<drill::Injected> found = injections_of(folder.file("run.tact"), origin_ns);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].begin_ns, 0);
  EXPECT_GT(found[0].end_ns, 0);
}

TEST(InjectRecorded, one_whose_injector_is_killed_ends_when_that_is_noticed) {
  const TemporaryFolder folder;
  const int recorder = start_recording(folder.file("run.tact"));
  const int injector = inject_long();
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  kill(injector, SIGKILL);
  wait_for(injector);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(recorder, SIGTERM);
  wait_for(recorder);
  std::int64_t origin_ns = 0;
  EXPECT_EQ(injections_of(folder.file("run.tact"), origin_ns).size(), 1U);
}

TEST(InjectRecorded, a_ring_keeps_those_that_reach_into_its_seconds) {
  const TemporaryFolder folder;
  const std::string file = folder.file("ring.tact");
  const int recorder = start_command({TACTUS_TOOL, "record", "-q", "--ring", "0.5", "-o", file,
                                      "--", program("server"), "100000000", "5"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  inject_once("--seconds 0.1 --shape ramp");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  inject_once("--seconds 0.1");
  kill(recorder, SIGUSR1);
  // It writes the file, and waits for the server.
  EXPECT_TRUE(wait_until([&] {
    const auto run = open_run(file, 1U);
    return run && run->slices.size() > 0;
  }));
  kill(recorder, SIGTERM);
  wait_for(recorder);
  std::int64_t origin_ns = 0;
  const std::vector<drill::Injected> found = injections_of(file, origin_ns);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].shape, "step");
}

}  // namespace
}  // namespace tactus::testing
