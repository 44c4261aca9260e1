// `tactus serve` as a process.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

TEST(ServeCommand, prints_its_address_and_leaves_nothing_behind_after_ctrl_c) {
  const testing::TemporaryFolder folder;
  int out[2];
  ASSERT_EQ(::pipe(out), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    ::dup2(out[1], STDOUT_FILENO);
    const std::string run = std::string(TACTUS_ROOT) + "/data/demo/h200-two-ranks.tact";
    ::execl(TACTUS_TOOL, "tactus", "serve", run.c_str(), "-q", nullptr);
    ::_exit(127);
  }
  ::close(out[1]);
  std::string line;
  for (char c = 0; line.find('\n') == std::string::npos && ::read(out[0], &c, 1) == 1;) line += c;
  EXPECT_TRUE(line.starts_with("http://127.0.0.1:")) << line;
  EXPECT_NE(line.find("/?token="), std::string::npos);
  EXPECT_TRUE(line.ends_with("  (Ctrl-C ends)\n"));
  EXPECT_FALSE(fs::is_empty(folder.path()));  // the folder for uploads
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(out[0]);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ServeCommand, says_why_it_cannot_start) {
  const std::string tool = TACTUS_TOOL;
  const auto code = [&](const std::string& arguments) {
    return WEXITSTATUS(std::system((tool + " serve " + arguments + " >/dev/null 2>&1").c_str()));
  };
  EXPECT_EQ(code("/does/not/exist.tact"), 2);
  EXPECT_EQ(code("--host 203.0.113.7"), 2);
  EXPECT_EQ(code("--port 99999"), 2);
}

}  // namespace
}  // namespace tactus
