// The injector as it is typed: what it does, and that it always ends.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "inject/started_injection.h"
#include "record/recorded_program.h"
#include "support/paths.h"

namespace tactus::testing {
namespace {

namespace fs = std::filesystem;

Json injected(const std::string& words) {
  const Ended ended = inject("--quiet --json " + words);
  EXPECT_EQ(ended.code, 0) << ended.out;
  return Json::parse(ended.out);
}

std::vector<int> children_of(int pid) {
  const std::string text = std::to_string(pid);
  std::ifstream file("/proc/" + text + "/task/" + text + "/children");
  std::vector<int> children;
  for (int child = 0; file >> child;) children.push_back(child);
  return children;
}

bool is_gone(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("State:")) return line.find('Z') != std::string::npos;
  }
  return true;
}

char state_of(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:\t")) return line[7];
  }
  return '?';
}

TEST(Inject, lists_what_can_be_done_and_what_is_left_out) {
  const Ended ended = inject("--list");
  EXPECT_EQ(ended.code, 0);
  for (const char* name : {"cpu", "memory", "disk", "network", "stall", "nvlink", "gpu-clock"}) {
    EXPECT_NE(ended.out.find(name), std::string::npos) << name;
  }
}

TEST(Inject, a_dry_run_does_nothing_and_says_what_would_be_done) {
  const Json said = injected("memory --dry-run");
  EXPECT_TRUE(said["dose"].is_null());
  EXPECT_FALSE(said["plan"]["text"].get<std::string>().empty());
}

TEST(Inject, each_load_of_the_host_is_measured) {
  EXPECT_GT(injected("cpu --seconds 0.5 --intensity 1")["dose"]["cores"].get<double>(), 0);
  for (const char* words :
       {"memory-bandwidth --seconds 0.5", "disk --dir . --seconds 0.5",
        "network --seconds 0.5 --max-rate 50", "memory --seconds 0.5 --max-memory 64"}) {
    const Json said = injected(words);
    EXPECT_GT(said["dose"]["bytes"].get<double>(), 0) << words;
    EXPECT_EQ(said["ending"].get<std::string>(), "done") << words;
  }
}

TEST(Inject, a_rate_is_not_exceeded) {
  const Json said = injected("network --seconds 1 --intensity 0.5 --max-rate 10");
  EXPECT_LE(said["dose"]["bytes"].get<double>(), 7e6);
}

TEST(Inject, a_gpu_load_without_a_gpu_is_refused_in_one_line) {
  for (const char* name : {"gpu-compute", "gpu-memory", "pcie", "nvlink"}) {
    const Ended ended = run_command("(LD_LIBRARY_PATH= " TACTUS_TOOL " inject " +
                                    std::string(name) + " --dry-run 2>&1)");
    if (ended.code == 0) GTEST_SKIP() << "there is a GPU";
    EXPECT_EQ(ended.code, 2);
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 1) << ended.out;
  }
}

TEST(Inject, gpu_loads_run_on_the_stand_in_driver) {
  for (const char* name : {"gpu-compute", "gpu-memory", "pcie"}) {
    Ended ended;
    wait_until([&] {
      ended = run_command("(" TACTUS_TOOL
                          " inject -q --json --seconds 0.3 --max-rate 100 --max-memory 16 " +
                          std::string(name) + " 2>&1)");
      return ended.out.find("another injection") == std::string::npos;
    });
    ASSERT_EQ(ended.code, 0) << ended.out;
    EXPECT_GT(Json::parse(ended.out)["dose"]["operations"].get<double>(), 0) << name;
  }
}

TEST(Inject, a_link_needs_two_gpus) {
  Ended ended;
  wait_until([&] {
    ended = run_command("(" TACTUS_TOOL " inject -q nvlink --seconds 0.3 2>&1)");
    return ended.out.find("another injection") == std::string::npos;
  });
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("only one GPU"), std::string::npos) << ended.out;
}

TEST(Inject, one_at_a_time) {
  const int first = start_long({"network", "--intensity", "0.01"});
  const Ended second = run_command("(" TACTUS_TOOL " inject -q cpu --seconds 0.1 2>&1)");
  kill(first, SIGTERM);
  wait_for(first);
  EXPECT_EQ(second.code, 2);
  EXPECT_NE(second.out.find(std::to_string(first)), std::string::npos) << second.out;
}

TEST(Inject, a_signal_ends_it_at_once) {
  const int pid = start_long({"network", "--intensity", "0.01"});
  const std::vector<int> children = children_of(pid);
  ASSERT_FALSE(children.empty());
  kill(pid, SIGINT);
  EXPECT_EQ(wait_for(pid), 128 + SIGINT);
  for (const int child : children) EXPECT_TRUE(wait_until([&] { return is_gone(child); }));
}

TEST(Inject, the_load_dies_with_its_command) {
  const int pid = start_long({"network", "--intensity", "0.01"});
  const std::vector<int> children = children_of(pid);
  ASSERT_FALSE(children.empty());
  kill(pid, SIGKILL);
  wait_for(pid);
  for (const int child : children) EXPECT_TRUE(wait_until([&] { return is_gone(child); }));
}

TEST(Inject, the_command_dies_with_its_parent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int parent = fork();
  if (parent == 0) {
    const int pid = start_long({"network", "--intensity", "0.01"});
    if (write(ends[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    pause();
  }
  int pid = 0;
  ASSERT_EQ(read(ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  EXPECT_FALSE(is_gone(pid));
  kill(parent, SIGKILL);
  wait_for(parent);
  EXPECT_TRUE(wait_until([&] { return is_gone(pid); }));
  close(ends[0]);
  close(ends[1]);
}

TEST(Inject, ends_when_standard_input_does) {
  const Ended ended = inject("-q network --intensity 0.01 --seconds 60 --until-eof < /dev/null");
  EXPECT_EQ(ended.code, 3);
  EXPECT_NE(ended.out.find("interrupted"), std::string::npos) << ended.out;
}

TEST(Inject, disk_leaves_no_file_behind_also_after_kill) {
  const fs::path folder = fs::current_path() / "inject_disk_test";
  fs::create_directories(folder);
  const int pid = start_long({"disk", "--dir", folder.string(), "--max-rate", "1"});
  EXPECT_TRUE(fs::is_empty(folder));
  kill(pid, SIGKILL);
  wait_for(pid);
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove_all(folder);
}

TEST(Inject, a_stopped_process_is_continued_also_after_kill) {
  const int target = start_command({"sleep", "60"});
  const int pid = start_long({"stall", "--intensity", "1", "--pid", std::to_string(target)});
  EXPECT_TRUE(wait_until([&] { return state_of(target) == 'T'; }));
  const std::vector<int> children = children_of(pid);
  // The worst moment: it is stopped, and both processes of the injection die.
  kill(pid, SIGKILL);
  for (const int child : children) kill(child, SIGKILL);
  wait_for(pid);
  EXPECT_TRUE(wait_until([&] { return state_of(target) == 'S'; }));
  kill(target, SIGKILL);
  wait_for(target);
}

}  // namespace
}  // namespace tactus::testing
