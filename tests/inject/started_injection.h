#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "record/recorded_program.h"
#include "support/paths.h"

namespace tactus::testing {

/// Only one injection may run at a time, also of tests that run beside each other.
inline Ended inject(const std::string& words) {
  Ended ended;
  wait_until([&] {
    ended = run_command("unset LD_LIBRARY_PATH; (" TACTUS_TOOL " inject " + words + " 2>&1)");
    return ended.out.find("another injection") == std::string::npos;
  });
  return ended;
}

/// Starts one that lasts; the value is its pid.
inline int start_long(const std::vector<std::string>& more) {
  int pid = 0;
  wait_until([&] {
    std::vector<std::string> words = {TACTUS_TOOL, "inject", "-q", "--seconds", "60"};
    words.insert(words.end(), more.begin(), more.end());
    pid = start_command(words);
    // Refused, because another one runs, or running with a child.
    for (int i = 0; i < 500; ++i) {
      if (waitpid(pid, nullptr, WNOHANG) == pid) return false;
      std::ifstream children("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) +
                             "/children");
      int child = 0;
      if (children >> child) return true;
      usleep(10000);
    }
    return false;
  });
  return pid;
}

}  // namespace tactus::testing
