// Whatever happens to the recorder, the program must not notice; whatever happens to either, the
// file opens. TACTUS_FAULTS is how many faults are tried.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "record/recorded_program.h"
#include "run/tact/tact_file.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

using testing::program;
using testing::run_command;
using testing::start_command;
using testing::TemporaryFolder;
using testing::wait_for;

int fault_count() {
  const char* text = std::getenv("TACTUS_FAULTS");
  return text != nullptr ? std::atoi(text) : 12;
}

void sleep_us(std::uint64_t time) {
  std::this_thread::sleep_for(std::chrono::microseconds(time));
}

/// A program that writes its output to a file, started by itself so that it outlives the recorder.
std::vector<std::string> server_words(const std::string& output, const std::string& done) {
  return {"sh", "-c",
          program("server 60 4 graph proc 2 5") + " > " + output + "; echo $? > " + done};
}

void expect_opens(const std::string& file) {
  if (!std::filesystem::exists(file) || std::filesystem::file_size(file) == 0) return;
  const Result<Run> run = open_run(file, 1);
  if (!run) {
    // A recorder that was killed before its first commit leaves nothing to open.
    EXPECT_LT(std::filesystem::file_size(file), 100u) << run.error().message;
    return;
  }
  EXPECT_TRUE(run->status());
}

TEST(Faults, of_the_recorder_do_not_reach_the_program) {
  const TemporaryFolder folder;
  const std::string expected = run_command(program("server 60 4 graph proc 2")).out;
  std::mt19937 random(1);
  for (int i = 0; i < fault_count(); ++i) {
    const std::string number = std::to_string(i);
    const std::string output = folder.file("out" + number);
    const std::string done = folder.file("done" + number);
    const std::string file = folder.file("run" + number + ".tact");
    std::vector<std::string> words = {TACTUS_TOOL, "record", "-q", "--force", "-o", file, "--"};
    const std::vector<std::string> command = server_words(output, done);
    words.insert(words.end(), command.begin(), command.end());
    const int recorder = start_command(words);
    // From here on the program runs, whatever happens to the recorder.
    ASSERT_TRUE(testing::wait_until([&] { return std::filesystem::exists(output); }));
    sleep_us(random() % 50'000);
    const int kind = static_cast<int>(random() % 3);
    if (kind == 0) {
      kill(recorder, SIGKILL);
    } else if (kind == 1) {
      kill(recorder, SIGSTOP);
      sleep_us(random() % 30'000);
      kill(recorder, SIGCONT);
    } else {
      kill(recorder, SIGSTOP);
      sleep_us(random() % 10'000);
      kill(recorder, SIGKILL);
    }
    wait_for(recorder);
    EXPECT_TRUE(testing::wait_until([&] {
      return std::filesystem::exists(done) && testing::read_file(done) == "5\n";
    })) << "fault "
        << i << " of kind " << kind;
    EXPECT_EQ(testing::read_file(output), expected) << "fault " << i << " of kind " << kind;
    expect_opens(file);
    for (const std::string& path : {output, done, file}) std::filesystem::remove(path);
  }
}

TEST(Faults, of_the_program_leave_a_file_that_opens) {
  const TemporaryFolder folder;
  std::mt19937 random(2);
  for (int i = 0; i < fault_count(); ++i) {
    const std::string file = folder.file("run.tact");
    const int recorder =
        start_command({TACTUS_TOOL, "record", "-q", "--force", "-o", file, "--", "sh", "-c",
                       program("server 2000 4 eager proc 2") + " & p=$!; sleep 0.0" +
                           std::to_string(random() % 10) + "; kill -9 $p; wait $p; exit 6"});
    EXPECT_EQ(wait_for(recorder), 6);
    const auto run = open_run(file, 1);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_TRUE(run->status());
  }
}

}  // namespace
}  // namespace tactus
