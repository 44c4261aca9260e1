// `tactus bench --watch` and `--max-seconds`, as a user runs them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/json.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus::testing {
namespace {

/// The tool with both outputs in files.
class RunningTool {
 public:
  RunningTool(const TemporaryFolder& folder, const std::vector<std::string>& arguments)
      : out_(folder.file("out.txt")), errors_(folder.file("errors.txt")) {
    child_ = ::fork();
    if (child_ != 0) return;
    constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
    ::dup2(::open(out_.c_str(), kNew, 0600), STDOUT_FILENO);
    ::dup2(::open(errors_.c_str(), kNew, 0600), STDERR_FILENO);
    ::signal(SIGINT, SIG_DFL);
    std::vector<char*> pointers = {const_cast<char*>("tactus"), const_cast<char*>("bench")};
    for (const std::string& argument : arguments) {
      pointers.push_back(const_cast<char*>(argument.c_str()));
    }
    pointers.push_back(nullptr);
    ::execv(TACTUS_TOOL, pointers.data());
    ::_exit(127);
  }
  RunningTool(const RunningTool&) = delete;
  RunningTool& operator=(const RunningTool&) = delete;
  ~RunningTool() {
    if (child_ > 0) end(SIGKILL);
  }

  std::string out() const { return read_file(out_); }
  std::string errors() const { return read_file(errors_); }

  /// Waits until it has printed that; false if it does not come.
  bool prints(const std::string& text) const {
    for (int i = 0; i < 6000; ++i) {
      if (out().find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  /// The exit status after the signal; 0: without one.
  int end(int signal = 0) {
    if (signal != 0) ::kill(child_, signal);
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  std::string out_;
  std::string errors_;
  pid_t child_ = -1;
};

/// A candidate for rms_norm with that epsilon.
std::string source(const std::string& eps) {
  return R"(#include <cmath>
#include <cstring>
#include "tactus/operator.h"
static float widened(uint16_t bits) {
  const uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}
static int run(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const uint16_t* weight = (const uint16_t*)tactus_input(call, "weight")->data;
  for (int64_t row = 0; row < x->shape[0]; ++row) {
    const uint16_t* in = (const uint16_t*)x->data + row * x->shape[1];
    uint16_t* out = (uint16_t*)tactus_output(call, "out")->data + row * x->shape[1];
    float squares = 0;
    for (int64_t i = 0; i < x->shape[1]; ++i) squares += widened(in[i]) * widened(in[i]);
    const float scale = 1 / std::sqrt(squares / (float)x->shape[1] + )" +
         eps + R"();
    for (int64_t i = 0; i < x->shape[1]; ++i) {
      const float value = widened(in[i]) * scale * widened(weight[i]);
      uint32_t word;
      memcpy(&word, &value, sizeof word);
      out[i] = (uint16_t)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
    }
  }
  return 0;
}
static const tactus_entry entries[] = {{"rms_norm", TACTUS_CPU, run, nullptr}};
static const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "mine",
                                          entries, 1};
TACTUS_EXPORT const tactus_library_v1* tactus_library(void) { return &library; }
)";
}

std::vector<std::string> checking(std::vector<std::string> more) {
  more.insert(more.end(), {"--operator", "rms_norm", "--shape", "2", "--check-only", "--quick",
                           "--hardware", "H200"});
  return more;
}

TEST(BenchWatch, measures_again_after_each_change_and_ends_with_ctrl_c) {
  const TemporaryFolder folder;
  const std::string path = folder.write("mine.cpp", source("1e-6f"));
  RunningTool tool(folder, checking({"--watch", path}));
  ASSERT_TRUE(tool.prints("1 shape: 1 right.")) << tool.errors();
  folder.write("mine.cpp", source("1e-5f"));
  ASSERT_TRUE(tool.prints("1 shape: 0 right, 1 wrong.")) << tool.errors();
  EXPECT_NE(tool.out().find("was ok"), std::string::npos);
  EXPECT_NE(tool.out().find("as if eps were 1e-05 (wrong_epsilon)"), std::string::npos);
  folder.write("mine.cpp", source("1e-6f") + "int\tx = ;\n");
  ASSERT_TRUE(tool.prints("1 build_failed")) << tool.errors();
  EXPECT_NE(tool.errors().find("error:"), std::string::npos);
  EXPECT_EQ(tool.end(SIGINT), 0);
}

TEST(BenchWatch, prints_one_json_line_per_run) {
  const TemporaryFolder folder;
  const std::string path = folder.write("mine.cpp", source("1e-6f"));
  RunningTool tool(folder, checking({"--watch", path, "--json"}));
  ASSERT_TRUE(tool.prints("\n")) << tool.errors();
  folder.write("mine.cpp", source("0"));
  ASSERT_TRUE(tool.prints("wrong_epsilon")) << tool.errors();
  ASSERT_TRUE(tool.prints("}\n"));
  EXPECT_EQ(tool.end(SIGINT), 0);
  const std::string out = tool.out();
  EXPECT_TRUE(Json::is_valid(out.substr(0, out.find('\n'))));
  EXPECT_TRUE(Json::is_valid(out.substr(out.find('\n') + 1)));
}

TEST(BenchWatch, ends_with_its_time) {
  const TemporaryFolder folder;
  const std::string path = folder.write("mine.cpp", source("1e-6f"));
  RunningTool tool(folder, checking({"--watch", path, "--max-seconds", "1"}));
  EXPECT_EQ(tool.end(), 0);
  EXPECT_NE(tool.out().find("1 shape:"), std::string::npos);
}

TEST(BenchWatch, refuses_options_that_have_no_meaning_with_it) {
  const TemporaryFolder folder;
  const std::string path = folder.write("mine.cpp", source("1e-6f"));
  for (const std::vector<std::string>& other : {std::vector<std::string>{"--candidate", "cpu"},
                                                {"--fail-under", "0.5"},
                                                {"--html", "page.html"},
                                                {"--new", "rms_norm"}}) {
    std::vector<std::string> arguments = {"--watch", path};
    arguments.insert(arguments.end(), other.begin(), other.end());
    RunningTool tool(folder, arguments);
    EXPECT_EQ(tool.end(), 2) << other[0];
    EXPECT_NE(tool.errors().find("--watch"), std::string::npos);
  }
  RunningTool missing(folder, {"--watch", folder.file("none.cpp"), "--hardware", "H200"});
  EXPECT_EQ(missing.end(), 2);
}

TEST(BenchMaxSeconds, skips_what_is_left_and_is_not_judged_if_a_gate_was_asked_for) {
  const TemporaryFolder folder;
  const std::vector<std::string> all = {
      "--check-only", "--candidate", "reference",     "--hardware",
      "H200",         "--json",      "--max-seconds", "1"};
  RunningTool tool(folder, all);
  EXPECT_EQ(tool.end(), 0) << tool.errors();
  const Json document = Json::parse(tool.out());
  ASSERT_TRUE(document.is_object());
  int left = 0;
  for (const Json& row : document["results"]) {
    if (row.text_at("reason").find("time limit") != std::string::npos) {
      EXPECT_EQ(row.text_at("status"), "skipped");
      ++left;
    }
  }
  EXPECT_GT(left, 0);
  std::vector<std::string> gated = all;
  gated.insert(gated.end(), {"--fail-under", "0.1"});
  RunningTool judged(folder, gated);
  EXPECT_EQ(judged.end(), 4);
  EXPECT_NE(judged.errors().find("not run within the time limit"), std::string::npos);
}

}  // namespace
}  // namespace tactus::testing
