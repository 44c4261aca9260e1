// tactus record --host: what the threads of a program did on the host, seen by eBPF.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>

#include "record/host/host_program.h"
#include "record/recorded_program.h"
#include "run/event_view.h"
#include "run/host_track.h"
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

class Host : public ::testing::Test {
 protected:
  void SetUp() override {
    const Result<record::HostProgram> loaded = record::HostProgram::load({});
    if (!loaded) GTEST_SKIP() << loaded.error().message;
  }

  /// A recording of a program with --host.
  tactus::Run record(const std::string& command, const std::string& options = "") {
    const std::string file = folder_.file("run.tact");
    ended_ = run_command(testing::record_to(file, "--host " + options) + command);
    return open(file);
  }
  static tactus::Run open(const std::string& file) {
    Result<tactus::Run> opened = open_run(file, 1);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    return opened ? std::move(*opened) : tactus::Run();
  }

  TemporaryFolder folder_;
  Ended ended_;
};

std::int64_t time_of(const Run& run, std::string_view name) {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const StringId id(static_cast<std::uint64_t>(run.slices.name()[row]));
    if (run.strings[id] == name) sum += run.slices.dur()[row];
  }
  return sum;
}

std::int64_t sum_of(const Run& run, std::string_view key) {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    if (const std::optional<Value> value = run.arg(run.slices, row, key)) sum += value->raw;
  }
  return sum;
}

std::size_t host_tracks(const Run& run) {
  std::size_t count = 0;
  for (const Thread& thread : run.threads) {
    if (!thread.tid.is_text) continue;
    const StringId id(static_cast<std::uint64_t>(thread.tid.value));
    count += thread_of_host_track(run.strings[id]) ? 1 : 0;
  }
  return count;
}

constexpr std::int64_t kMillisecond = 1'000'000;

TEST_F(Host, shows_how_long_threads_wait_for_each_other) {
  const auto run = record(program("host_life lock"));
  EXPECT_EQ(ended_.code, 0);
  EXPECT_GE(count_of(run, "futex"), 5u);
  EXPECT_GE(time_of(run, "futex"), 5 * 15 * kMillisecond);
  EXPECT_GE(time_of(run, "sleep"), 5 * 15 * kMillisecond);
}

TEST_F(Host, shows_waits_for_the_disk) {
  // A memory file system never waits.
  const std::string file = std::filesystem::current_path() / "host_test.bytes";
  const auto run = record(program("host_life disk " + file), "--host-shortest 0");
  std::filesystem::remove(file);
  EXPECT_EQ(ended_.code, 0);
  if (count_of(run, "fsync") == 0) GTEST_SKIP() << "fsync does not wait on this file system";
  EXPECT_GT(time_of(run, "fsync"), 0);
}

TEST_F(Host, counts_page_faults) {
  const auto run = record(program("host_life faults"));
  EXPECT_GE(sum_of(run, "page faults"), 2000);
  EXPECT_LT(sum_of(run, "page faults"), 20'000);
}

TEST_F(Host, follows_every_process_and_thread_that_is_started) {
  const auto run = record("sh -c '" + program("host_life storm") + "; true'");
  EXPECT_EQ(ended_.code, 0);
  EXPECT_GE(host_tracks(run), 400u);
  EXPECT_TRUE(run.dropped.empty());
}

TEST_F(Host, shows_how_threads_end) {
  const auto run = record("sh -c 'sleep 0.01 & wait; kill -9 $$'");
  EXPECT_EQ(ended_.code, 128 + SIGKILL);
  std::set<std::int64_t> signals;
  std::size_t programs = 0;
  for (std::size_t row = 0; row < run.instants.size(); ++row) {
    if (const auto signal = run.arg(run.instants, row, "signal")) signals.insert(signal->raw);
    programs += run.arg(run.instants, row, "program") ? 1 : 0;
  }
  EXPECT_EQ(signals, (std::set<std::int64_t>{0, SIGKILL}));
  EXPECT_GE(programs, 1u);
}

TEST_F(Host, counts_short_turns_and_sends_one_slice_for_many) {
  const auto run = record(program("ping_pong 0.5"));
  EXPECT_GT(sum_of(run, "turns"), 1000);
  EXPECT_LT(static_cast<std::int64_t>(run.slices.size()), sum_of(run, "turns") / 10);
  EXPECT_TRUE(run.dropped.empty());
}

TEST_F(Host, slices_of_a_thread_do_not_overlap_and_lie_in_the_recording) {
  const auto run = record(program("server 300 6 eager proc 2"));
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> by_track;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const std::int64_t track = run.slices.track()[row];
    const Thread& thread = run.threads[run.tracks[static_cast<std::size_t>(track)].thread.value];
    if (!thread.tid.is_text) continue;
    const std::int64_t start = run.slices.start()[row];
    by_track[track].push_back({start, start + run.slices.dur()[row]});
  }
  EXPECT_GE(by_track.size(), 3u);
  for (auto& [track, slices] : by_track) {
    std::sort(slices.begin(), slices.end());
    for (std::size_t i = 1; i < slices.size(); ++i) {
      EXPECT_GE(slices[i].first, slices[i - 1].second) << "track " << track << " slice " << i;
    }
    EXPECT_GE(slices.front().first, 0);
  }
}

TEST_F(Host, has_the_tracks_of_the_agent_in_the_same_process) {
  const auto run = record(program("server 50 6"));
  std::set<std::uint32_t> processes;
  for (const Track& track : run.tracks) {
    if (!track.on_device) processes.insert(run.threads[track.thread.value].process.value);
  }
  EXPECT_EQ(processes.size(), 1u);
  EXPECT_EQ(count_of(run, "cuLaunchKernel"), 50u * 7);
}

TEST_F(Host, links_still_go_from_launches_to_their_work) {
  const auto run = record(program("server 1500 6 graph"));
  std::size_t links = 0;
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) {
    ++links;
    const auto name = [&](std::uint32_t row) {
      return run.strings[StringId(static_cast<std::uint64_t>(run.slices.name()[row]))];
    };
    EXPECT_EQ(name(call), "cuGraphLaunch");
    EXPECT_TRUE(name(work).starts_with("graph ")) << name(work);
  });
  EXPECT_GT(links, 100u);
}

TEST_F(Host, sees_launches_of_a_process_without_the_agent) {
  const int server = start_command({program("server"), "100000", "4", "eager"});
  const std::string file = folder_.file("run.tact");
  EXPECT_TRUE(testing::wait_until([&] {
    run_command(TACTUS_TOOL " record -q --force --host --meters-hz 0 --seconds 0.4 --pid " +
                std::to_string(server) + " -o " + file);
    const auto run = open(file);
    return run.instants.size() > 20 && count_of(run, "step") > 2;
  }));
  EXPECT_EQ(kill(server, 0), 0);
  kill(server, SIGKILL);
  testing::wait_for(server);
  const auto run = open(file);
  std::size_t right = 0;
  for (std::size_t row = 0; row < run.instants.size(); ++row) {
    const std::optional<Value> grid = run.arg(run.instants, row, "grid");
    const std::optional<Value> block = run.arg(run.instants, row, "block");
    if (!grid || !block) continue;
    const auto text = [&](const Value& value) {
      return run.strings[StringId(static_cast<std::uint64_t>(value.raw))];
    };
    right += text(*grid) == "[7,1,1]" && !text(*block).empty() ? 1 : 0;  // the last of a step
  }
  EXPECT_GE(right * 5 + 5, run.instants.size());
}

TEST_F(Host, a_killed_recorder_leaves_no_programs_in_the_kernel) {
  const int recorder = start_command({TACTUS_TOOL, "record", "-q", "--host", "-o",
                                      folder_.file("run.tact"), "--", "sleep", "100"});
  ASSERT_TRUE(testing::wait_until([&] {
    return std::filesystem::exists(folder_.file("run.tact")) &&
           std::filesystem::file_size(folder_.file("run.tact")) > 0;
  }));
  const std::string child = run_command("pgrep -P " + std::to_string(recorder)).out;
  kill(recorder, SIGKILL);
  EXPECT_EQ(testing::wait_for(recorder), 128 + SIGKILL);
  if (!child.empty()) kill(std::stoi(child), SIGKILL);
  // Another one starts as if nothing had happened, and the file opens.
  EXPECT_EQ(run_command(testing::record_to(folder_.file("next.tact"), "--host") + "true").code, 0);
  EXPECT_TRUE(open_run(folder_.file("run.tact"), 1));
}

TEST(HostDenied, recording_goes_on_without_it) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become somebody else";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const std::string become = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
  if (run_command(become + "test -x " TACTUS_TOOL).code != 0) {
    GTEST_SKIP() << "setpriv is missing, or others may not run " TACTUS_TOOL;
  }
  const Ended ended = run_command(become + TACTUS_TOOL " record --json --host -o " +
                                  folder.file("run.tact") + " -- sh -c 'exit 3'");
  EXPECT_EQ(ended.code, 3);
  EXPECT_NE(ended.out.find("CAP_BPF"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(R"("host":null)"), std::string::npos) << ended.out;
}

TEST(HostObject, is_what_its_source_compiles_to) {
  const Ended clang = run_command("clang --version | head -1");
  if (clang.out.find("version 14.0.6") == std::string::npos ||
      run_command("command -v llvm-strip").code != 0) {
    GTEST_SKIP() << "the checked-in bpf/host.bpf.o was made by clang 14.0.6 and llvm-strip";
  }
  const TemporaryFolder folder;
  const std::string made = folder.file("host.bpf.o");
  ASSERT_EQ(run_command(TACTUS_ROOT "/scripts/make-bpf " + made).code, 0);
  EXPECT_EQ(testing::read_file(made), testing::read_file(TACTUS_ROOT "/bpf/host.bpf.o"))
      << "run scripts/make-bpf";
}

}  // namespace
}  // namespace tactus
