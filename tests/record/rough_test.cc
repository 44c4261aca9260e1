// Programs that were not written with a recorder in mind: none of them may notice one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "record/recorded_program.h"
#include "run/tact/tact_file.h"
#include "support/files.h"

namespace tactus {
namespace {

using testing::Ended;
using testing::program;
using testing::record_to;
using testing::run_command;
using testing::TemporaryFolder;

class RoughProgram : public ::testing::TestWithParam<std::string> {
 protected:
  /// What a mode is given: a folder to be locked into, a driver to open.
  std::string command() const {
    const std::string given = GetParam();
    return program(given) + " " +
           (given.ends_with(" reopen") ? TACTUS_NO_DRIVER : folder.path().string());
  }
  void expect_unchanged(const std::string& options) const {
    const Ended plain = run_command(command());
    ASSERT_NE(plain.code, 2) << "no such mode";
    const Ended ended = run_command(record_to(folder.file("run.tact"), options) + command());
    EXPECT_EQ(ended.code, plain.code) << options;
    EXPECT_EQ(ended.out, plain.out) << options;
    EXPECT_TRUE(open_run(folder.file("run.tact"), 1)) << options;
    std::filesystem::remove(folder.file("run.tact"));
  }

  TemporaryFolder folder;
};

TEST_P(RoughProgram, does_not_notice_a_light_recording) {
  expect_unchanged("");
}

TEST_P(RoughProgram, does_not_notice_stacks_and_gpu_times) {
  expect_unchanged("--stacks both --budget 100%");
}

TEST_P(RoughProgram, does_not_notice_a_full_recording) {
  // CUPTI takes locks of its own in every call; so a handler must not launch in the middle of one.
  if (GetParam().ends_with(" alternate") || GetParam().ends_with(" jump")) {
    GTEST_SKIP() << "launches in a signal handler";
  }
  expect_unchanged("--mode full --stacks native");
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Threads, RoughProgram,
                         ::testing::Values("rough_threads ending", "rough_threads cancelled",
                                           "rough_threads jump", "rough_threads alternate",
                                           "rough_threads tiny", "rough_threads many",
                                           "rough_threads coroutines", "rough_threads at_exit",
                                           "rough_threads exit_beside", "rough_threads main_ends"),
                         name_of);
INSTANTIATE_TEST_SUITE_P(
    Processes, RoughProgram,
    ::testing::Values("rough_process close_range", "rough_process reuse_descriptors",
                      "rough_process few_descriptors", "rough_process no_descriptors",
                      "rough_process no_memory", "rough_process no_threads",
                      "rough_process other_user", "rough_process chroot",
                      "rough_process clear_environment", "rough_process vfork",
                      "rough_process exec_other", "rough_process exec_bare",
                      "rough_process fork_beside", "rough_process daemon", "rough_process reopen",
                      "rough_process local", "rough_process deep", "rough_process namespace",
                      "rough_process filtered", "rough_process locked_memory",
                      "rough_process stopped", "rough_process crash"),
    name_of);

TEST(Rough, a_thread_that_is_to_be_cancelled_makes_its_launches_and_keeps_nobody_waiting) {
  const TemporaryFolder folder;
  run_command(record_to(folder.file("run.tact")) + program("rough_threads cancelled"));
  const auto run = open_run(folder.file("run.tact"), 1);
  ASSERT_TRUE(run);
  EXPECT_EQ(testing::count_of(*run, "cuLaunchKernel"), 203u);
  EXPECT_TRUE(run->dropped.empty());
}

TEST(Rough, a_program_that_clears_its_environment_is_recorded) {
  const TemporaryFolder folder;
  run_command(record_to(folder.file("run.tact")) + program("rough_process clear_environment"));
  const auto run = open_run(folder.file("run.tact"), 1);
  ASSERT_TRUE(run);
  EXPECT_EQ(testing::count_of(*run, "cuLaunchKernel"), 100u);
}

}  // namespace
}  // namespace tactus
