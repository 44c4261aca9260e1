// What is not for people's eyes does not go to a terminal.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "support/paths.h"

namespace tactus {
namespace {

struct Shown {
  int code = 0;
  std::string text;
};

/// Runs a command of a shell in a terminal.
Shown run_in_terminal(const std::string& command) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  Shown shown;
  char piece[4096];
  for (ssize_t got = 0; (got = ::read(terminal, piece, sizeof piece)) > 0;) {
    shown.text.append(piece, static_cast<std::size_t>(got));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  shown.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return shown;
}

const std::string kTrace = std::string(TACTUS_ROOT) + "/tests/golden/inputs/small.json";

TEST(TerminalOutput, is_never_binary) {
  for (const std::string how :
       {"perfetto", "perfetto -o -", "sqlite", "sqlite -o -", "sqlite --force"}) {
    const Shown shown = run_in_terminal(TACTUS_TOOL " export " + kTrace + " --format " + how);
    EXPECT_EQ(shown.code, 2) << how;
    EXPECT_NE(shown.text.find(how[0] == 'p' ? "-o run.pftrace" : "-o run.sqlite"),
              std::string::npos)
        << shown.text;
  }
  EXPECT_EQ(run_in_terminal(TACTUS_TOOL " export " + kTrace + " --format perfetto | wc -c").code,
            0);
  EXPECT_EQ(run_in_terminal(TACTUS_TOOL " export " + kTrace + " --format csv").code, 0);
}

}  // namespace
}  // namespace tactus
