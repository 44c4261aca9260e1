#include "bench/worker/child_processes.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

namespace tactus {

std::vector<pid_t> child_processes(pid_t parent) {
  std::vector<pid_t> children;
  std::error_code error;
  const std::string tasks = fmt::format("/proc/{}/task", parent);
  for (const auto& thread : std::filesystem::directory_iterator(tasks, error)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

std::vector<pid_t> child_processes() {
  return child_processes(getpid());
}

void adopt_orphans() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void end_other_children(const std::vector<pid_t>& ours) {
  // Each round may make orphans of the next generation. All processes seen so far are stopped
  // first, so they cannot fork faster for long.
  constexpr int kMostRounds = 100;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<pid_t> others = child_processes();
    std::erase_if(others, [&](pid_t child) {
      return std::find(ours.begin(), ours.end(), child) != ours.end();
    });
    if (others.empty()) return;
    for (const pid_t other : others) kill(other, SIGSTOP);
    for (const pid_t other : others) kill(other, SIGKILL);
    for (const pid_t other : others) waitpid(other, nullptr, 0);
  }
}

}  // namespace tactus
