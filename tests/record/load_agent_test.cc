// `tactus record --inject`: real programs that were started without the agent.
#include "record/attach/load_agent.h"

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "record/attach/process_memory.h"
#include "record/recorded_program.h"
#include "run/tact/tact_file.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

using testing::Ended;
using testing::program;
using testing::run_command;
using testing::TemporaryFolder;
using testing::wait_for;
using testing::wait_until;

/// A program that writes its output to a file, and ends when another one is there.
struct Steady {
  Steady(const TemporaryFolder& folder, const std::string& what, const std::string& name = "steady")
      : stop_file(folder.file("stop-" + what)), output(folder.file("out-" + what)) {
    pid = testing::start_command(
        {"sh", "-c", "exec " + program(name) + " " + what + " " + stop_file + " > " + output});
    EXPECT_TRUE(wait_until([&] {
      std::error_code error;
      const auto running =
          std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", error);
      return name == "steady" ? record::has_cuda(pid) : running == program(name);
    }));
  }
  Steady(const Steady&) = delete;
  Steady& operator=(const Steady&) = delete;
  ~Steady() {
    if (pid > 0) end();
  }

  /// Its exit code; what it wrote is "ok" if nothing disturbed it.
  int end() {
    std::ofstream(stop_file) << "stop";
    const int code = wait_for(std::exchange(pid, 0));
    EXPECT_EQ(testing::read_file(output), "ok\n");
    return code;
  }

  std::string stop_file;
  std::string output;
  int pid = 0;
};

Ended record_injected(int pid, const std::string& file, const std::string& more = "") {
  return run_command("(" TACTUS_TOOL " record -q --inject --force --meters-hz 0 --seconds 0.3 " +
                     more + " -o " + file + " --pid " + std::to_string(pid) + " 2>&1)");
}

std::size_t kernels_in(const std::string& file) {
  const Result<Run> run = open_run(file, 1);
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  std::size_t kernels = 0;
  for (std::size_t row = 0; run && row < run->slices.size(); ++row) {
    kernels += run->arg(run->slices, row, "registers per thread") ? 1 : 0;
  }
  return kernels;
}

class LoadAgent : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "--inject needs an x86-64 processor";
#endif
  }
};
class LoadAgentInto : public LoadAgent {};

TEST_P(LoadAgentInto, programs_that_do_not_notice) {
  const TemporaryFolder folder;
  Steady steady(folder, GetParam());
  const Ended ended = record_injected(steady.pid, folder.file("run.tact"));
  EXPECT_EQ(ended.code, 0) << ended.out;
  // It stays, and a second recording needs no stop.
  EXPECT_EQ(
      run_command(TACTUS_TOOL " record -q --force --mode full --meters-hz 0 --seconds 0.1 -o " +
                  folder.file("run.tact") + " --pid " + std::to_string(steady.pid))
          .code,
      0);
  EXPECT_EQ(steady.end(), 7);
}

TEST_F(LoadAgent, calls_that_cannot_be_seen_are_unknown_and_not_none) {
  const TemporaryFolder folder;
  Steady steady(folder, "busy");
  const Ended ended = record_injected(steady.pid, folder.file("run.tact"), "--json");
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_NE(ended.out.find(R"("launches":null)"), std::string::npos) << ended.out;
  // So a light recording would have nothing.
  const std::string light = TACTUS_TOOL " record -q --force --seconds 0.1 -o " +
                            folder.file("run.tact") + " --pid " + std::to_string(steady.pid);
  EXPECT_EQ(run_command(light).code, 2);
  EXPECT_EQ(steady.end(), 7);
}

INSTANTIATE_TEST_SUITE_P(Waits, LoadAgentInto,
                         ::testing::Values("busy", "malloc", "poll", "sleep", "condition"));

// A thread that would be told EINTR is not stopped; in between, it may be.
TEST_F(LoadAgent, leaves_threads_alone_whose_wait_would_end) {
  const TemporaryFolder folder;
  for (const std::string what : {"epoll", "read"}) {
    Steady steady(folder, what);
    const Ended ended = record_injected(steady.pid, folder.file("run.tact"));
    EXPECT_TRUE(ended.code == 0 || ended.out.find("nothing was changed") != std::string::npos)
        << ended.out;
    EXPECT_EQ(steady.end(), 7);
  }
}

TEST_F(LoadAgent, shows_the_kernels_of_a_process_that_was_started_without_it) {
  const TemporaryFolder folder;
  const std::string expected = run_command(program("server 4000 6 eager proc 2")).out;
  const std::string output = folder.file("out");
  const int pid = testing::start_command(
      {"sh", "-c", "exec " + program("server 4000 6 eager proc 2 5") + " > " + output});
  ASSERT_TRUE(wait_until([&] { return record::has_cuda(pid); }));
  const Ended ended = record_injected(pid, folder.file("run.tact"));
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_EQ(wait_for(pid), 5);
  EXPECT_EQ(testing::read_file(output), expected);
  EXPECT_GT(kernels_in(folder.file("run.tact")), 100u);
}

TEST_F(LoadAgent, says_that_it_stays) {
  const TemporaryFolder folder;
  Steady steady(folder, "poll");
  ASSERT_EQ(record_injected(steady.pid, folder.file("run.tact")).code, 0);
  const auto run = open_run(folder.file("run.tact"), 1);
  ASSERT_TRUE(run);
  EXPECT_TRUE(std::any_of(run->warnings.begin(), run->warnings.end(), [](const std::string& text) {
    return text.find("it stays there") != std::string::npos;
  }));
}

TEST_F(LoadAgent, leaves_no_page_and_no_stack_behind) {
  const TemporaryFolder folder;
  Steady steady(folder, "poll");
  const std::vector<record::Mapping> before = record::mappings_of(steady.pid);
  ASSERT_EQ(record_injected(steady.pid, folder.file("run.tact")).code, 0);
  for (const record::Mapping& mapping : record::mappings_of(steady.pid)) {
    const bool is_new = std::none_of(before.begin(), before.end(), [&](const auto& old) {
      return old.begin <= mapping.begin && mapping.begin < old.end;
    });
    EXPECT_FALSE(is_new && mapping.path.empty() && mapping.is_writable &&
                 mapping.end - mapping.begin <= 0x10000)
        << std::hex << mapping.begin;
  }
  EXPECT_EQ(steady.end(), 7);
}

TEST_F(LoadAgent, does_not_use_a_thread_that_handles_a_signal) {
  const TemporaryFolder folder;
  Steady steady(folder, "handler");
  const Ended ended = record_injected(steady.pid, folder.file("run.tact"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("it handles a signal"), std::string::npos) << ended.out;
  EXPECT_FALSE(std::filesystem::exists(folder.file("run.tact")));
  EXPECT_EQ(steady.end(), 7);
}

TEST_F(LoadAgent, refuses_programs_that_are_linked_statically) {
  if (!std::filesystem::exists(program("steady_static"))) GTEST_SKIP() << "no static C library";
  const TemporaryFolder folder;
  Steady steady(folder, "poll", "steady_static");
  const Ended ended = record_injected(steady.pid, folder.file("run.tact"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("linked statically"), std::string::npos) << ended.out;
}

TEST_F(LoadAgent, refuses_a_process_that_somebody_else_traces) {
  const TemporaryFolder folder;
  Steady steady(folder, "poll");
  ASSERT_EQ(ptrace(PTRACE_SEIZE, steady.pid, 0, 0), 0);
  const Ended ended = record_injected(steady.pid, folder.file("run.tact"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("is traced by process " + std::to_string(getpid())), std::string::npos)
      << ended.out;
  EXPECT_EQ(steady.end(), 7);
}

TEST_F(LoadAgent, refuses_a_process_that_is_stopped_and_leaves_it_so) {
  const TemporaryFolder folder;
  Steady steady(folder, "poll");
  kill(steady.pid, SIGSTOP);
  ASSERT_TRUE(wait_until([&] { return record::status_of(steady.pid)->state == 'T'; }));
  const Ended ended = record_injected(steady.pid, folder.file("run.tact"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("is stopped"), std::string::npos) << ended.out;
  kill(steady.pid, SIGCONT);
  EXPECT_EQ(steady.end(), 7);
}

TEST_F(LoadAgent, refuses_a_process_of_another_user) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become somebody else";
  const TemporaryFolder folder;
  const std::string become = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
  if (run_command(become + "test -x " TACTUS_TOOL).code != 0) {
    GTEST_SKIP() << "setpriv is missing, or others may not run " TACTUS_TOOL;
  }
  Steady steady(folder, "poll");
  const Ended ended =
      run_command("cd /tmp; (" + become + TACTUS_TOOL " record --inject --pid " +
                  std::to_string(steady.pid) + " -o /tmp/tactus-other-user.tact 2>&1)");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("another user"), std::string::npos) << ended.out;
}

TEST_F(LoadAgent, needs_a_process_and_no_stacks) {
  EXPECT_EQ(run_command(TACTUS_TOOL " record --inject -- true").code, 2);
  EXPECT_EQ(run_command(TACTUS_TOOL " record --inject --stacks native --pid 1").code, 2);
}

/// TACTUS_FAULTS is how many times.
TEST_F(LoadAgent, killed_or_stopped_in_the_middle_leaves_programs_running) {
  const char* text = std::getenv("TACTUS_FAULTS");
  const int count = text != nullptr ? std::atoi(text) : 12;
  std::mt19937 random(3);
  for (int i = 0; i < count; ++i) {
    const TemporaryFolder folder;
    const char* const kinds[] = {"busy", "malloc", "poll", "sleep", "condition", "epoll"};
    const std::string what = kinds[random() % std::size(kinds)];
    SCOPED_TRACE(what);
    Steady steady(folder, what);
    const int recorder = testing::start_command({TACTUS_TOOL, "record", "-q", "--inject", "--force",
                                                 "--meters-hz", "0", "-o", folder.file("run.tact"),
                                                 "--pid", std::to_string(steady.pid)});
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    const int signals[] = {SIGKILL, SIGINT, SIGSTOP};
    const int signal = signals[random() % std::size(signals)];
    kill(recorder, signal);
    if (signal == SIGSTOP) {
      // It must not matter that it does not come back.
      EXPECT_TRUE(wait_until([&] { return record::status_of(steady.pid)->tracer == 0; }));
      EXPECT_EQ(steady.end(), 7);
    }
    if (signal != SIGINT) kill(recorder, SIGKILL);
    wait_for(recorder);
    if (signal == SIGSTOP) continue;
    EXPECT_TRUE(wait_until([&] { return record::status_of(steady.pid)->tracer == 0; }));
    EXPECT_NE(record::status_of(steady.pid)->state, 'T');
    EXPECT_EQ(steady.end(), 7);
  }
}

}  // namespace
}  // namespace tactus
