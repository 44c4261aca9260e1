#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <thread>

#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrace =
    R"({"traceEvents":[{"ph":"X","name":"k","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":2}]})";

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGABRT};

/// Starts an import of standard input into `output`; `input` is the end of it that we hold.
pid_t start_import(const std::string& output, int& input, bool as_by_nohup = false) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    const int nothing = ::open("/dev/null", O_WRONLY);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(nothing, STDERR_FILENO);
    // The test itself may run in the background, where a shell has signals ignored.
    for (const int signal : kSignals) ::signal(signal, SIG_DFL);
    if (as_by_nohup) ::signal(SIGHUP, SIG_IGN);
    ::execl(TACTUS_TOOL, "tactus", "import", "-", "-o", output.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[0]);
  input = ends[1];
  return child;
}

/// Waits until there are that many files; false if they do not come.
bool has_files(const fs::path& folder, std::ptrdiff_t count) {
  for (int i = 0; i < 2000; ++i) {
    if (std::distance(fs::directory_iterator(folder), {}) == count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(Interrupt, of_an_import_leaves_no_file) {
  for (const int signal : kSignals) {
    const testing::TemporaryFolder folder;
    int input = -1;
    const pid_t child = start_import(folder.file("run.tact"), input);
    ASSERT_EQ(::write(input, "{\"traceEvents\":[", 16), 16);
    // The input does not end, so the import waits with its temporary file open.
    EXPECT_TRUE(has_files(folder.path(), 1));
    ::kill(child, signal);
    const int status = end_of(child);
    ::close(input);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

TEST(Interrupt, that_is_ignored_from_the_start_stays_ignored) {
  const testing::TemporaryFolder folder;
  int input = -1;
  const pid_t child = start_import(folder.file("run.tact"), input, /*as_by_nohup=*/true);
  EXPECT_TRUE(has_files(folder.path(), 1));
  ::kill(child, SIGHUP);
  const std::string_view trace = kTrace;
  ASSERT_EQ(::write(input, trace.data(), trace.size()), static_cast<ssize_t>(trace.size()));
  ::close(input);
  const int status = end_of(child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(fs::exists(folder.file("run.tact")));
}

/// A program on a terminal of its own.
class OnTerminal {
 public:
  explicit OnTerminal(const std::string& run) {
    child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ != 0) return;
    for (const int signal : kSignals) ::signal(signal, SIG_DFL);
    ::execl(TACTUS_TOOL, "tactus", "sql", run.c_str(), nullptr);
    ::_exit(127);
  }
  void type(std::string_view text) const {
    EXPECT_EQ(::write(terminal_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  /// Reads until the text comes; false if the program ends before.
  bool shows(std::string_view text) {
    for (;;) {
      if (const std::size_t at = unread_.find(text); at != std::string::npos) {
        unread_.erase(0, at + text.size());
        return true;
      }
      char bytes[4096];
      const ssize_t count = ::read(terminal_, bytes, sizeof bytes);
      if (count <= 0) return false;
      unread_.append(bytes, static_cast<std::size_t>(count));
    }
  }
  int end() const {
    const int status = end_of(child_);
    ::close(terminal_);
    return status;
  }

 private:
  int terminal_ = -1;
  pid_t child_ = -1;
  std::string unread_;
};

TEST(Interrupt, at_the_prompt_of_sql_ends_the_query_and_not_the_session) {
  const testing::TemporaryFolder folder;
  OnTerminal sql(folder.write("trace.json", kTrace));
  EXPECT_TRUE(sql.shows("tactus> "));
  sql.type("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c;\n");
  EXPECT_TRUE(sql.shows("1234"));  // it runs
  sql.type("\x03");
  EXPECT_TRUE(sql.shows("the query was stopped"));
  EXPECT_TRUE(sql.shows("tactus> "));
  sql.type("SELECT 1 +\n");
  EXPECT_TRUE(sql.shows("...> "));
  sql.type("\x03");
  EXPECT_TRUE(sql.shows("tactus> "));
  sql.type("SELECT 1230 + 4, count(*) FROM kernels;\n");
  EXPECT_TRUE(sql.shows("1234"));
  EXPECT_TRUE(sql.shows("tactus> "));
  sql.type(".quit\n");
  const int status = sql.end();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(TwoImports, of_one_name_give_one_file_and_one_refusal) {
  const testing::TemporaryFolder folder;
  int inputs[2] = {-1, -1};
  pid_t children[2];
  for (int i = 0; i < 2; ++i) children[i] = start_import(folder.file("run.tact"), inputs[i]);
  EXPECT_TRUE(has_files(folder.path(), 2));  // both saw that the name was free
  const std::string_view trace = kTrace;
  for (const int input : inputs) {
    ASSERT_EQ(::write(input, trace.data(), trace.size()), static_cast<ssize_t>(trace.size()));
    ::close(input);
  }
  int codes[2];
  for (int i = 0; i < 2; ++i) codes[i] = WEXITSTATUS(end_of(children[i]));
  EXPECT_EQ(std::min(codes[0], codes[1]), 0);
  EXPECT_EQ(std::max(codes[0], codes[1]), 2);
  EXPECT_TRUE(has_files(folder.path(), 1));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
// Sanitizers need more memory than any limit allows.
TEST(LittleMemory, ends_an_import_with_a_message_and_no_file) {
  const testing::TemporaryFolder folder;
  std::string trace = "[";
  for (int i = 0; i < 200'000; ++i) {
    trace += R"({"ph":"X","name":"k)" + std::to_string(i) + R"(","cat":"kernel","pid":0,"tid":7,)" +
             R"("ts":)" + std::to_string(i) + R"(,"dur":2,"args":{"a":"b)" + std::to_string(i) +
             "\"}},\n";
  }
  folder.write("trace.json", trace);
  for (const int kilobytes : {50'000, 60'000, 70'000, 80'000, 100'000}) {
    const std::string command =
        "cd '" + folder.path().string() + "' && ulimit -v " + std::to_string(kilobytes) +
        " && exec " TACTUS_TOOL " import trace.json -o run.tact --threads 1 > /dev/null 2> text";
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status)) << kilobytes;
    if (WEXITSTATUS(status) == 0) break;  // it was enough
    EXPECT_EQ(WEXITSTATUS(status), 3) << kilobytes;
    EXPECT_TRUE(testing::read_file(folder.file("text")).starts_with("tactus: ")) << kilobytes;
    EXPECT_TRUE(has_files(folder.path(), 2)) << kilobytes;  // trace.json and text
  }
}
#endif

TEST(StandardOutput, that_is_closed_does_not_end_up_in_the_output_file) {
  const testing::TemporaryFolder folder;
  const std::string trace = folder.write("trace.json", kTrace);
  const auto run = [&](const std::string& output, const std::string& streams) {
    const std::string command =
        TACTUS_TOOL " import " + trace + " -o " + folder.file(output) + streams;
    return WEXITSTATUS(std::system(command.c_str()));
  };
  EXPECT_EQ(run("open.tact", " > /dev/null"), 0);
  for (const char* closed : {" >&-", " <&- >&- 2>&-"}) {
    EXPECT_EQ(run("closed.tact --force", closed), 3);
    EXPECT_EQ(testing::read_file(folder.file("open.tact")),
              testing::read_file(folder.file("closed.tact")));
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
