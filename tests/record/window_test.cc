// Full mode for a while, in a recording in light mode that runs.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/json.h"
#include "cycles/cycles.h"
#include "record/recorded_program.h"
#include "record/window/ask_for_window.h"
#include "record/window/window_door.h"
#include "run/tact/tact_file.h"
#include "support/files.h"
#include "support/paths.h"
#include "views/common/json_fields.h"

namespace tactus {
namespace {

using testing::Ended;
using testing::program;
using testing::run_command;
using testing::start_command;
using testing::TemporaryFolder;
using testing::wait_until;

std::size_t slices_of(const Run& run, SliceKind kind) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    count += run.kind_of(run.slices.category()[row]) == kind ? 1 : 0;
  }
  return count;
}

/// A server that lasts, and the recorder that started it.
class Recorded {
 public:
  explicit Recorded(const std::vector<std::string>& options = {},
                    const std::vector<std::string>& environment = {},
                    const std::string& kind = "eager") {
    std::vector<std::string> words = {TACTUS_TOOL, "record", "-o", file_};
    words.insert(words.end(), options.begin(), options.end());
    // A pause between the steps, so that a busy machine loses nothing.
    words.insert(words.end(), {"--", program("loop"), kind, "60", "5", "100", "5000"});
    recorder_ = start_command(words, environment);
    EXPECT_TRUE(wait_until([this] { return server() != 0 && has_launched(); }));
  }
  ~Recorded() {
    if (recorder_ != 0) end();
  }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  int recorder() const { return recorder_; }
  std::int64_t server() const {
    const std::string text = std::to_string(recorder_);
    const std::string children =
        testing::read_file("/proc/" + text + "/task/" + text + "/children");
    return children.empty() ? 0 : std::stoll(children);
  }
  const std::string& file() const { return file_; }
  bool has_launched() const {
    const auto run = open_run(file_, 1U);
    return run && run->slices.size() > 0;
  }
  /// "tactus record --pid PID --mode full", and what it says on both streams.
  Ended ask(const std::string& options) const {
    return run_command("(" TACTUS_TOOL " record --pid " + std::to_string(server()) +
                       " --mode full " + options + " 2>&1)");
  }
  /// The recording, after its end.
  Run end() {
    kill(recorder_, SIGTERM);
    testing::wait_for(recorder_);
    recorder_ = 0;
    Result<Run> run = open_run(file_, 1U);
    EXPECT_TRUE(run) << (run ? "" : run.error().message);
    return run ? std::move(*run) : Run();
  }

 private:
  TemporaryFolder folder_;
  std::string file_ = folder_.file("run.tact");
  int recorder_ = 0;
};

bool has_warning(const Run& run, const std::string& text) {
  return std::any_of(run.warnings.begin(), run.warnings.end(), [&](const std::string& warning) {
    return warning.find(text) != std::string::npos;
  });
}

TEST(FullWindow, a_second_command_switches_full_mode_on_for_a_while) {
  Recorded recorded;
  const Ended asked = recorded.ask("--seconds 0.5");
  EXPECT_EQ(asked.code, 0) << asked.out;
  EXPECT_NE(asked.out.find("full mode goes into " + recorded.file()), std::string::npos)
      << asked.out;
  EXPECT_NE(asked.out.find("next: tactus kernels " + recorded.file()), std::string::npos);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const Ended again = recorded.ask("--seconds 0.3 --json");
  EXPECT_EQ(again.code, 0) << again.out;
  const std::size_t brace = again.out.find('{');
  ASSERT_NE(brace, std::string::npos) << again.out;
  const Json said = Json::parse(again.out.substr(brace));
  for (const JsonDocument& document : json_documents()) {
    if (document.command != "record --pid PID --mode full --json") continue;
    const Status fits = check_json(said, document.fields);
    EXPECT_TRUE(fits) << fits.error().message;
  }
  const auto from_ns = said["from_ns"].get<std::int64_t>();
  const auto to_ns = said["to_ns"].get<std::int64_t>();
  const auto run = recorded.end();
  std::size_t launches = 0;
  std::size_t launches_meanwhile = 0;
  std::size_t kernels = 0;
  std::size_t late = 0;
  constexpr std::int64_t kEdge = 300'000'000;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const std::int64_t start = run.slices.start()[row];
    const bool is_launch = run.arg(run.slices, row, "kernel").has_value();
    launches += is_launch ? 1 : 0;
    launches_meanwhile += is_launch && start > from_ns && start < to_ns ? 1 : 0;
    if (run.kind_of(run.slices.category()[row]) != SliceKind::kKernel) continue;
    ++kernels;
    late += start > to_ns + kEdge ? 1 : 0;
  }
  EXPECT_GT(launches_meanwhile, 0u);
  EXPECT_GE(kernels, launches_meanwhile);
  EXPECT_LT(kernels, launches);  // light before, between and after
  EXPECT_EQ(late, 0u);
  EXPECT_TRUE(has_warning(run, "full mode from"));
  // Steps outside have launches, and no known time on the device.
  const auto cycles = find_cycles(run, {});
  ASSERT_TRUE(cycles);
  std::size_t timed = 0;
  for (const Cycle& cycle : cycles->cycles) {
    EXPECT_TRUE(!cycle.complete || cycle.launches == 5) << cycle.launches;
    timed += lacks_gpu_time(cycle) ? 0 : 1;
  }
  EXPECT_GT(timed, 0u);
  EXPECT_LT(timed, cycles->cycles.size());
}

TEST(FullWindow, ends_with_the_command_that_asked) {
  Recorded recorded;
  const int asking = start_command(
      {TACTUS_TOOL, "record", "-q", "--pid", std::to_string(recorded.server()), "--mode", "full"});
  std::size_t before = 0;
  EXPECT_TRUE(wait_until([&] {
    const auto run = open_run(recorded.file(), 1U);
    before = run ? slices_of(*run, SliceKind::kKernel) : 0;
    return before > 0;
  }));
  kill(asking, SIGKILL);
  testing::wait_for(asking);
  // Somebody else can ask then.
  EXPECT_TRUE(wait_until([&] { return recorded.ask("--seconds 0.2").code == 0; }));
}

TEST(FullWindow, a_signal_switches_it_on_and_another_one_off) {
  Recorded recorded;
  kill(recorded.recorder(), SIGUSR2);
  EXPECT_TRUE(wait_until([&] {
    const auto run = open_run(recorded.file(), 1U);
    return run && slices_of(*run, SliceKind::kKernel) > 0;
  }));
  const Ended busy = recorded.ask("--seconds 0.2");
  EXPECT_EQ(busy.code, 2);
  EXPECT_NE(busy.out.find("full mode is on already"), std::string::npos) << busy.out;
  kill(recorded.recorder(), SIGUSR2);
  EXPECT_TRUE(wait_until([&] {
    const auto run = open_run(recorded.file(), 1U);
    return run && has_warning(*run, "full mode from");
  }));
  recorded.end();
}

TEST(FullWindow, graphs_have_times_of_their_own_before_and_after) {
  Recorded recorded({}, {}, "graph");
  EXPECT_EQ(recorded.ask("--seconds 0.3").code, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const auto run = recorded.end();
  std::int64_t last_kernel = 0;
  std::int64_t last_graph = 0;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const SliceKind kind = run.kind_of(run.slices.category()[row]);
    const std::int64_t start = run.slices.start()[row];
    if (kind == SliceKind::kKernel) last_kernel = std::max(last_kernel, start);
    const auto category = static_cast<std::size_t>(run.slices.category()[row]);
    if (run.strings[run.categories[category].name] == "cuda_graph") {
      last_graph = std::max(last_graph, start);
    }
  }
  EXPECT_GT(last_kernel, 0);
  EXPECT_GT(last_graph, last_kernel);
}

TEST(FullWindow, somebody_else_who_holds_cupti_is_named_and_light_goes_on) {
  Recorded recorded({}, {"STANDIN_CUPTI_HELD=CUPTI for somebody"});
  const Ended asked = recorded.ask("--seconds 0.2");
  EXPECT_EQ(asked.code, 2);
  EXPECT_EQ(std::count(asked.out.begin(), asked.out.end(), '\n'), 1) << asked.out;
  EXPECT_NE(asked.out.find("CUPTI is used by CUPTI for somebody"), std::string::npos) << asked.out;
  const std::size_t before = open_run(recorded.file(), 1U)->slices.size();
  EXPECT_TRUE(wait_until([&] { return open_run(recorded.file(), 1U)->slices.size() > before; }));
  // It is tried again, and says the same.
  EXPECT_EQ(recorded.ask("--seconds 0.2").code, 2);
}

TEST(FullWindow, is_refused_in_one_line_where_it_makes_no_sense) {
  struct Case {
    std::vector<std::string> options;
    std::string ask;
    std::string says;
  };
  for (const Case& c : {Case{{"--mode", "full"}, "--seconds 0.1", "in full mode already"},
                        Case{{}, "--seconds 0.1 -o other.tact", "without -o"}}) {
    Recorded recorded(c.options);
    const Ended asked = recorded.ask(c.ask);
    EXPECT_EQ(asked.code, 2) << asked.out;
    EXPECT_EQ(std::count(asked.out.begin(), asked.out.end(), '\n'), 1) << asked.out;
    EXPECT_NE(asked.out.find(c.says), std::string::npos) << asked.out;
  }
}

TEST(FullWindow, a_ring_has_none) {
  const TemporaryFolder folder;
  const int recorder =
      start_command({TACTUS_TOOL, "record", "-q", "--ring", "1", "-o", folder.file("run.tact"),
                     "--", program("loop"), "eager", "60", "5", "100", "5000"});
  const std::string text = std::to_string(recorder);
  std::string server;
  Ended asked;
  EXPECT_TRUE(wait_until([&] {
    server = testing::read_file("/proc/" + text + "/task/" + text + "/children");
    if (server.empty()) return false;
    server = std::to_string(std::stoll(server));
    if (!record::recorder_of(std::stoll(server))) return false;
    asked =
        run_command("(" TACTUS_TOOL " record --pid " + server + " --mode full --seconds 0.1 2>&1)");
    return true;
  }));
  EXPECT_EQ(asked.code, 2);
  EXPECT_NE(asked.out.find("--ring"), std::string::npos) << asked.out;
  kill(recorder, SIGTERM);
  testing::wait_for(recorder);
}

TEST(FullWindow, a_recorder_that_cannot_be_asked_is_named) {
  const auto account = record::ask_for_window(getpid(), {}, [](const auto&) {});
  ASSERT_FALSE(account);
  EXPECT_NE(account.error().message.find("another version of Tactus"), std::string::npos);
  EXPECT_NE(account.error().message.find(std::to_string(getpid())), std::string::npos);
}

TEST(FullWindow, only_this_user_and_root_are_let_in) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  record::WindowDoor door;
  const pid_t other = fork();
  if (other == 0) {
    if (setuid(65534) != 0) _exit(1);
    const auto account = record::ask_for_window(getppid(), {.seconds = 1}, [](const auto&) {});
    _exit(account ? 1 : 0);
  }
  int status = 0;
  bool had_wish = false;
  EXPECT_TRUE(wait_until([&] {
    had_wish = had_wish || door.take_wish().has_value();
    return waitpid(other, &status, WNOHANG) == other;
  }));
  EXPECT_FALSE(had_wish);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tactus
