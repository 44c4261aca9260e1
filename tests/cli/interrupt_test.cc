#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "support/files.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

/// Starts an import of standard input into `output`; `input` is the end of it that we hold.
pid_t start_import(const std::string& output, int& input) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execl(TACTUS_TOOL, "tactus", "import", "-", "-o", output.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[0]);
  input = ends[1];
  return child;
}

TEST(Interrupt, of_an_import_leaves_no_file) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const testing::TemporaryFolder folder;
    int input = -1;
    const pid_t child = start_import(folder.file("run.tact"), input);
    ASSERT_EQ(::write(input, "{\"traceEvents\":[", 16), 16);
    // The input does not end, so the import waits with its temporary file open.
    for (int i = 0; i < 2000 && fs::is_empty(folder.path()); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_FALSE(fs::is_empty(folder.path()));
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(input);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

TEST(Interrupt, of_a_benchmark_leaves_no_folder) {
  const testing::TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    const int nothing = ::open("/dev/null", O_WRONLY);
    ::dup2(nothing, STDOUT_FILENO);
    ::execl(TACTUS_TOOL, "tactus", "bench", "--operator", "layer_norm,rms_norm", nullptr);
    ::_exit(127);
  }
  // The folder is there as soon as the machine itself has been measured.
  for (int i = 0; i < 12000 && fs::is_empty(folder.path()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_FALSE(fs::is_empty(folder.path()));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // a worker runs by then
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace tactus
