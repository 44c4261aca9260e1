#include "watch/keep/pid_source.h"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <thread>

#include "record/recorded_program.h"
#include "support/files.h"
#include "support/paths.h"
#include "watch/latency_model.h"
#include "wire/stacks.h"

namespace tactus::watch {
namespace {

using testing::run_command;

/// A program that is ready to be watched, ended with the test.
class Watched {
 public:
  explicit Watched(const std::vector<std::string>& words) {
    const std::string agent = run_command(TACTUS_TOOL " record --print-agent").out;
    pid_ = testing::start_command(words, {"LD_PRELOAD=" + agent.substr(0, agent.find('\n'))});
  }
  ~Watched() {
    ::kill(pid_, SIGKILL);
    testing::wait_for(pid_);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  /// Attaches, as soon as the program has launched something.
  std::unique_ptr<PidSource> source(const std::string& folder, std::uint32_t stacks) const {
    std::unique_ptr<PidSource> found;
    testing::wait_until([&] {
      Result<std::unique_ptr<PidSource>> started = PidSource::start(pid_, folder, stacks);
      if (started) found = std::move(*started);
      return found != nullptr;
    });
    return found;
  }

 private:
  int pid_ = 0;
};

std::vector<Step> first_steps(PidSource& source, std::size_t count) {
  std::vector<SourcedStep> steps;
  testing::wait_until([&] {
    const Result<bool> goes_on = source.poll(steps);
    EXPECT_TRUE(goes_on) << (goes_on ? "" : goes_on.error().message);
    return !goes_on || !*goes_on || steps.size() >= count;
  });
  std::vector<Step> found;
  for (const SourcedStep& of : steps) found.push_back(of.step);
  return found;
}

TEST(PidSource, tells_batch_and_tokens_of_the_steps_of_an_engine) {
  const testing::TemporaryFolder folder;
  const Watched program(
      {"python3", TACTUS_ROOT "/tests/record/programs/launcher.py", "serve", "1000000"});
  const auto source = program.source(folder.path(), wire::kPythonStacks);
  ASSERT_NE(source, nullptr);
  const std::vector<Step> steps = first_steps(*source, 80);
  ASSERT_GE(steps.size(), 80U);
  std::map<Phase, std::size_t> phases;
  for (const Step& step : steps) {
    ++phases[step.phase];
    if (step.phase == Phase::kDecode) {
      EXPECT_EQ(step.sequences, 2);
      EXPECT_EQ(kind_of(step), ModelKind::kDecode);
    }
    if (step.phase == Phase::kMixed) {
      EXPECT_EQ(step.sequences, 1);
      EXPECT_EQ(step.prompts, 1);
      EXPECT_EQ(step.prompt_tokens, 40);
      EXPECT_EQ(kind_of(step), ModelKind::kWithPrompts);
    }
    if (step.phase == Phase::kPrefill) {
      EXPECT_EQ(step.prompt_tokens, 150);
    }
  }
  EXPECT_GT(phases[Phase::kDecode], 0U);
  EXPECT_GT(phases[Phase::kMixed], 0U);
  EXPECT_GT(phases[Phase::kPrefill], 0U);
  // At most the first one: until the engine told its first step, any launch may be one.
  EXPECT_LE(phases[Phase::kUnknown], 1U);
}

TEST(PidSource, counts_launches_where_nothing_else_is_known) {
  const testing::TemporaryFolder folder;
  const Watched program({testing::program("server"), "100000000", "5"});
  const auto source = program.source(folder.path(), 0);
  ASSERT_NE(source, nullptr);
  const std::vector<Step> steps = first_steps(*source, 20);
  ASSERT_GE(steps.size(), 20U);
  for (const Step& step : steps) {
    EXPECT_EQ(step.phase, Phase::kUnknown);
    EXPECT_GT(step.launches, 0);
  }
}

}  // namespace
}  // namespace tactus::watch
