// Real programs with the agent inside, on the stand-in driver.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include "drill/drill.h"
#include "record/recorded_program.h"
#include "run/tact/tact_file.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

using testing::count_of;
using testing::Ended;
using testing::program;
using testing::record_to;
using testing::run_command;
using testing::TemporaryFolder;

Run open_recording(const std::string& path) {
  Result<Run> run = open_run(path, 1);
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  return run ? std::move(*run) : Run();
}

/// The launches that the driver saw, as the recording writes them; by pid, streams in their order.
std::map<std::int64_t, std::vector<std::vector<std::string>>> logged(const testing::Log& log) {
  std::map<std::int64_t, std::vector<std::vector<std::string>>> by_pid;
  for (const auto& [key, works] : log) {
    std::vector<std::string> launches;
    for (const testing::LoggedWork& work : works) {
      if (work.what != "launch" && work.what != "capture") continue;
      launches.push_back(work.name + " " + work.grid + " " + work.block);
    }
    if (!launches.empty()) by_pid[key.first].push_back(launches);
  }
  for (auto& [pid, streams] : by_pid) std::sort(streams.begin(), streams.end());
  return by_pid;
}

std::map<std::int64_t, std::vector<std::vector<std::string>>> recorded(const Run& run) {
  std::map<std::int64_t, std::vector<std::vector<std::string>>> by_pid;
  for (const auto& [key, launches] : testing::recorded_launches(run)) {
    by_pid[key.first].push_back(launches);
  }
  for (auto& [pid, streams] : by_pid) std::sort(streams.begin(), streams.end());
  return by_pid;
}

class Recording : public ::testing::TestWithParam<const char*> {};

TEST_P(Recording, holds_every_launch_once_and_in_order_and_changes_nothing) {
  const TemporaryFolder folder;
  const std::string command = program(GetParam());
  const Ended plain = run_command(command);
  const Ended ended = run_command("STANDIN_LOG=" + folder.file("log") + " " +
                                  record_to(folder.file("run.tact")) + command);
  EXPECT_EQ(ended.code, plain.code);
  EXPECT_EQ(ended.out, plain.out);
  const auto run = open_recording(folder.file("run.tact"));
  EXPECT_TRUE(run.dropped.empty());
  const auto expected = logged(testing::read_log(folder.file("log")));
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(recorded(run), expected);
}

INSTANTIATE_TEST_SUITE_P(Programs, Recording,
                         ::testing::Values("server 20 6 eager", "server 20 6 graph",
                                           "server 5 6 eager thread", "server 5 6 eager dlsym",
                                           "server 5 6 graph dlsym 1 3", "server 10 4 eager proc 8",
                                           "private_driver " TACTUS_TEST_PROGRAMS
                                           "/libprivate_launches.so 20",
                                           "private_driver " TACTUS_TEST_PROGRAMS
                                           "/libprivate_launches.so 20 before",
                                           "family fork", "family late", "family storm 10",
                                           "family exec " TACTUS_TEST_PROGRAMS "/server"));

TEST(Record, a_command_that_uses_no_gpu_is_not_changed) {
  const TemporaryFolder folder;
  const Ended ended =
      run_command(record_to(folder.file("run.tact")) + "sh -c 'echo hello; exit 9'");
  EXPECT_EQ(ended.code, 9);
  EXPECT_EQ(ended.out, "hello\n");
  const auto run = open_recording(folder.file("run.tact"));
  // Whoever works on this machine may inject something.
  EXPECT_EQ(run.slices.size(), drill::injected_in(run).size());
}

TEST(Record, ends_with_the_signal_of_the_command) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_command(record_to(folder.file("run.tact")) + "sh -c 'kill -9 $$'").code, 137);
}

TEST(Record, says_that_a_command_cannot_be_run) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_command(record_to(folder.file("run.tact")) + "/no/such/program").code, 127);
  EXPECT_EQ(run_command(record_to(folder.file("run.tact")) + folder.path().string()).code, 126);
  EXPECT_FALSE(std::filesystem::exists(folder.file("run.tact")));
}

TEST(Record, a_full_disk_ends_the_recording_and_not_the_command) {
  const TemporaryFolder folder;
  const std::string command = program("server 4000 6");
  const Ended plain = run_command(command);
  // Only the recorder has the limit.
  const Ended ended = run_command("ulimit -S -f 120; " + record_to(folder.file("run.tact")) +
                                  "sh -c 'ulimit -S -f unlimited; exec " + command + "'");
  EXPECT_EQ(ended.code, 125);
  EXPECT_EQ(ended.out, plain.out);
  EXPECT_TRUE(open_run(folder.file("run.tact"), 1));
}

TEST(Record, a_limit_for_files_does_not_kill_the_command) {
  const TemporaryFolder folder;
  const Ended plain = run_command(program("server 10 6"));
  const Ended ended =
      run_command("ulimit -f 100; " + record_to(folder.file("run.tact")) + program("server 10 6"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, plain.out);
}

TEST(Record, a_device_is_not_replaced_by_a_file) {
  EXPECT_EQ(run_command(record_to("/dev/null") + "true").code, 2);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Record, more_threads_than_rings_lose_only_what_is_counted) {
  const TemporaryFolder folder;
  const Ended ended =
      run_command(record_to(folder.file("run.tact")) + program("server 2 2 eager proc 100"));
  EXPECT_EQ(ended.code, 0);
  const auto run = open_recording(folder.file("run.tact"));
  const auto lost = run.dropped.find("no_ring");
  const std::size_t counted = lost != run.dropped.end() ? lost->second : 0;
  EXPECT_LE(count_of(run, "cuLaunchKernel"), 600u);
  EXPECT_GE(count_of(run, "cuLaunchKernel") + counted, 600u);
}

TEST(Record, a_program_may_close_all_descriptors) {
  const TemporaryFolder folder;
  const Ended ended = run_command(record_to(folder.file("run.tact")) + program("family closed"));
  EXPECT_EQ(ended.out, "done\n");
  const auto run = open_recording(folder.file("run.tact"));
  EXPECT_EQ(count_of(run, "cuLaunchKernel"), 20u);
}

TEST(Record, graphs_have_gpu_times_that_belong_to_their_launches) {
  const TemporaryFolder folder;
  const Ended ended = run_command(record_to(folder.file("run.tact"), "--budget 100%") +
                                  program("server 30 6 graph"));
  EXPECT_EQ(ended.code, 0);
  const auto run = open_recording(folder.file("run.tact"));
  EXPECT_EQ(count_of(run, "graph 1, 7 nodes"), 30u);
  EXPECT_EQ(count_of(run, "cuGraphLaunch"), 30u);
  ASSERT_EQ(run.links.rows, 30u);
  for (std::size_t i = 0; i < run.links.rows; ++i) {
    const auto call = static_cast<std::size_t>(run.links.from()[i]);
    const auto work = static_cast<std::size_t>(run.links.to()[i]);
    EXPECT_EQ(run.strings[StringId(static_cast<std::uint64_t>(run.slices.name()[call]))],
              "cuGraphLaunch");
    EXPECT_GE(run.slices.dur()[work], 200'000);  // its kernels take that long
  }
}

TEST(Record, captures_of_graphs_are_not_disturbed) {
  const TemporaryFolder folder;
  const Ended ended =
      run_command(record_to(folder.file("run.tact"), "--budget 100%") + program("capture_beside"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "captured\n");
  const auto run = open_recording(folder.file("run.tact"));
  EXPECT_GE(count_of(run, "cuLaunchKernel"), 300u * 21);
  EXPECT_GT(count_of(run, "step"), 100u);
}

TEST(Record, without_a_budget_no_gpu_times_are_taken) {
  const TemporaryFolder folder;
  run_command(record_to(folder.file("run.tact"), "--budget 0") + program("server 30 6 graph"));
  const auto run = open_recording(folder.file("run.tact"));
  EXPECT_EQ(count_of(run, "cuGraphLaunch"), 30u);
  EXPECT_EQ(count_of(run, "graph 1, 7 nodes"), 0u);
}

TEST(Record, a_process_that_has_the_agent_can_be_recorded_later) {
  const TemporaryFolder folder;
  const std::string library = run_command(TACTUS_TOOL " record --print-agent").out;
  const int server = testing::start_command(
      {program("server"), "20000", "6"}, {"LD_PRELOAD=" + library.substr(0, library.size() - 1)});
  const std::string attach = TACTUS_TOOL " record -q --force --seconds 0.5 --pid " +
                             std::to_string(server) + " -o " + folder.file("run.tact");
  EXPECT_TRUE(testing::wait_until([&] { return run_command(attach).code == 0; }));
  kill(server, SIGKILL);
  testing::wait_for(server);
  const auto run = open_recording(folder.file("run.tact"));
  EXPECT_GT(count_of(run, "cuLaunchKernel"), 10u);
}

TEST(Record, a_process_is_recorded_by_one_recorder_and_a_signal_ends_that) {
  const TemporaryFolder folder;
  const std::string library = run_command(TACTUS_TOOL " record --print-agent").out;
  const int server = testing::start_command(
      {program("server"), "60000", "6"}, {"LD_PRELOAD=" + library.substr(0, library.size() - 1)});
  const std::string pid = std::to_string(server);
  const std::string attach = TACTUS_TOOL " record -q --force --pid " + pid + " --seconds 0.1 -o ";
  ASSERT_TRUE(
      testing::wait_until([&] { return run_command(attach + folder.file("try")).code == 0; }));
  const int recorder =
      testing::start_command({TACTUS_TOOL, "record", "-q", "--meters-hz", "0", "--budget", "100%",
                              "--pid", pid, "-o", folder.file("run.tact")});
  ASSERT_TRUE(testing::wait_until([&] {
    return std::filesystem::exists(folder.file("run.tact")) &&
           std::filesystem::file_size(folder.file("run.tact")) > 0;
  }));
  EXPECT_EQ(run_command(attach + folder.file("try")).code, 2);
  kill(recorder, SIGINT);
  EXPECT_EQ(testing::wait_for(recorder), 0);
  EXPECT_EQ(kill(server, 0), 0);
  kill(server, SIGKILL);
  testing::wait_for(server);
  const auto run = open_recording(folder.file("run.tact"));
  EXPECT_TRUE(run.warnings.empty());  // the file is complete
  ASSERT_EQ(run.remarks.size(), 1u);
  EXPECT_NE(run.remarks[0].find("light mode"), std::string::npos);
}

TEST(Record, has_the_meters_of_the_host) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.tact");
  const Ended ended = run_command(TACTUS_TOOL " record -q --meters-hz 50 -o " + file + " -- " +
                                  program("server") + " 300 6");
  EXPECT_EQ(ended.code, 0);
  const auto run = open_recording(file);
  std::set<std::string> names;
  for (const CounterSeries& series : run.series) {
    names.insert(std::string(run.strings[series.name]));
  }
  EXPECT_TRUE(names.contains("host_mem_usage"));
  EXPECT_TRUE(names.contains("host_cpu_usage"));
  EXPECT_GT(run.counters.rows, 20U);
}

TEST(Record, has_no_meters_if_nobody_wants_them) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.tact");
  run_command(TACTUS_TOOL " record -q --meters-hz 0 -o " + file + " -- " + program("server") +
              " 20 6");
  EXPECT_EQ(open_recording(file).counters.rows, 0U);
}

TEST(Record, a_signal_to_the_recorder_reaches_the_command) {
  const TemporaryFolder folder;
  const int recorder =
      testing::start_command({TACTUS_TOOL, "record", "-q", "-o", folder.file("run.tact"), "--",
                              "sh", "-c", "trap 'exit 4' TERM; while true; do sleep 0.01; done"});
  ASSERT_TRUE(
      testing::wait_until([&] { return std::filesystem::exists(folder.file("run.tact")); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(recorder, SIGTERM);
  EXPECT_EQ(testing::wait_for(recorder), 4);
}

/// All that a command writes.
Ended with_errors(const std::string& command) {
  return run_command("( " + command + " 2>&1 )");
}

TEST(Record, words_without_the_dashes_are_explained) {
  const TemporaryFolder folder;
  const Ended ended =
      with_errors(TACTUS_TOOL " record -o " + folder.file("run.tact") + " python x");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("go behind --"), std::string::npos) << ended.out;
}

TEST(Record, a_summary_that_cannot_be_printed_is_its_own_failure) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_command(record_to(folder.file("run.tact"), "--json") + "true > /dev/full").code,
            125);
}

TEST(Record, a_size_that_no_recording_has_is_refused) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_command(record_to(folder.file("run.tact"), "--max-size 2") + "true").code, 2);
  EXPECT_EQ(run_command(record_to(folder.file("run.tact"), "--max-size 2X") + "true").code, 2);
}

TEST(Record, what_was_told_at_once_is_not_told_again) {
  const TemporaryFolder folder;
  const int idle = testing::start_command({"sleep", "60"});
  const Ended ended = with_errors(TACTUS_TOOL " record --seconds 0.1 --pid " +
                                  std::to_string(idle) + " -o " + folder.file("run.tact"));
  kill(idle, SIGKILL);
  testing::wait_for(idle);
  EXPECT_EQ(ended.code, 0);
  const std::size_t first = ended.out.find("has no agent");
  ASSERT_NE(first, std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("has no agent", first + 1), std::string::npos) << ended.out;
}

TEST(Record, the_process_of_another_user_is_not_said_to_have_no_agent) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const int idle = testing::start_command({"sleep", "60"});
  const Ended ended = with_errors("setpriv --reuid=65534 --regid=65534 --clear-groups " TACTUS_TOOL
                                  " record --seconds 0.1 --pid " +
                                  std::to_string(idle) + " -o " + folder.file("run.tact"));
  kill(idle, SIGKILL);
  testing::wait_for(idle);
  EXPECT_NE(ended.out.find("belongs to another user"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("has no agent"), std::string::npos) << ended.out;
}

TEST(Record, the_command_has_the_signals_that_were_blocked_before) {
  const TemporaryFolder folder;
  const std::string blocked = "grep SigBlk /proc/self/status";
  EXPECT_EQ(run_command(record_to(folder.file("run.tact")) + blocked).out,
            run_command(blocked).out);
}

TEST(Record, its_meters_say_how_often_they_were_read) {
  const TemporaryFolder folder;
  const Ended ended = run_command(TACTUS_TOOL " record -q --json --meters-hz 50 -o " +
                                  folder.file("run.tact") + " -- sleep 1");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.out.find(R"("name":"pressure")"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(R"("wanted_hz":50.0)"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(R"("limited_by":"source")"), std::string::npos) << ended.out;
}

TEST(Record, ctrl_c_ends_command_and_recording_whenever_it_comes) {
  const TemporaryFolder folder;
  for (int i = 0; i < 30; ++i) {
    const int recorder =
        testing::start_command({"setsid", TACTUS_TOOL, "record", "-q", "--force", "--meters-hz",
                                "0", "-o", folder.file("run.tact"), "--", "sleep", "60"});
    ASSERT_TRUE(testing::wait_until([&] { return ::getpgid(recorder) == recorder; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * i));
    ::killpg(recorder, SIGINT);
    EXPECT_EQ(testing::wait_for(recorder), 130) << i;
  }
}

TEST(Record, its_file_opens_from_the_beginning) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.tact");
  const int recorder =
      testing::start_command({TACTUS_TOOL, "record", "-q", "-o", file, "--", "sleep", "0.01"});
  ASSERT_TRUE(testing::wait_until(
      [&] { return std::filesystem::exists(file) && std::filesystem::file_size(file) > 100; }));
  kill(recorder, SIGKILL);
  testing::wait_for(recorder);
  EXPECT_TRUE(open_run(file, 1));
}

TEST(Record, a_process_without_the_agent_and_without_meters_is_refused) {
  const TemporaryFolder folder;
  const int server = testing::start_command({program("server"), "20000", "6"});
  const Ended ended = run_command(TACTUS_TOOL " record --meters-hz 0 --pid " +
                                  std::to_string(server) + " -o " + folder.file("run.tact"));
  kill(server, SIGKILL);
  testing::wait_for(server);
  EXPECT_EQ(ended.code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.file("run.tact")));
}

TEST(Record, its_steps_are_found) {
  const TemporaryFolder folder;
  run_command(record_to(folder.file("run.tact")) + program("server 12 6"));
  const Ended cycles = run_command(TACTUS_TOOL " cycles --json " + folder.file("run.tact"));
  EXPECT_EQ(cycles.code, 0);
  EXPECT_NE(cycles.out.find(R"("anchor":"step")"), std::string::npos) << cycles.out;
  EXPECT_NE(cycles.out.find(R"("index":11)"), std::string::npos);
  EXPECT_NE(cycles.out.find(R"("launches":7)"), std::string::npos);
}

TEST(Record, stops_at_the_size_that_it_may_have) {
  const TemporaryFolder folder;
  const Ended plain = run_command(program("server 3000 20"));
  const Ended ended = run_command(record_to(folder.file("run.tact"), "--max-size 100K") +
                                  program("server 3000 20"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, plain.out);
  EXPECT_LT(std::filesystem::file_size(folder.file("run.tact")), 300'000u);
}

TEST(Record, makes_no_other_files) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("empty"));
  run_command("export TMPDIR=" + folder.file("empty") + " XDG_RUNTIME_DIR=" + folder.file("empty") +
              "; " + record_to(folder.file("run.tact")) + "sh -c '" + program("server 5 5") +
              "; ls " + folder.file("empty") + " > " + folder.file("seen") + "'");
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("seen")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("empty")));
}

TEST(Record, the_agent_needs_only_the_c_library) {
  const std::string library = run_command(TACTUS_TOOL " record --print-agent").out;
  const Ended needed = run_command("readelf -d " + library.substr(0, library.size() - 1) +
                                   " | grep NEEDED | grep -v libc.so.6");
  EXPECT_EQ(needed.out, "");
}

}  // namespace
}  // namespace tactus
