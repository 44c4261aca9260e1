#include <gtest/gtest.h>

#include "run/event_view.h"
#include "run/identity.h"
#include "run/tact/tact_file.h"
#include "support/paths.h"
#include "support/run_text.h"

namespace tactus {
namespace {

/// Files that were written before version 2; see docs/tact-format.md.
std::string old_file(const std::string& name) {
  return std::string(TACTUS_ROOT) + "/tests/run/tact/v1/" + name;
}

TEST(OldFile, of_two_ranks_with_one_pid_opens_with_two_processes_and_two_devices) {
  const auto run = open_run(old_file("ranks.tact"), 1);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->warnings.empty());
  EXPECT_EQ(run->slices.size(), 240U);
  EXPECT_EQ(run->links.rows, 80U);
  EXPECT_EQ(run->counters.rows, 120U);
  ASSERT_EQ(run->devices.size(), 2U);
  EXPECT_EQ(device_label(*run, DeviceId(1)), "GPU 0 of rank 1");
  EXPECT_EQ(run->processes[0].os_pid, run->processes[2].os_pid);
  EXPECT_NE(run->processes[0].number, run->processes[2].number);
  EXPECT_EQ(run->processes[2].rank, 1);
  EXPECT_FALSE(testing::run_lines(*run).empty());
  EXPECT_TRUE(run->status());
}

TEST(OldFile, with_captures_knows_which_slices_they_are) {
  const auto run = open_run(old_file("captured.tact"), 1);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->slices.size(), 240U);
  EXPECT_EQ(run->own_slices(), 120U);
  EXPECT_EQ(run->devices.size(), 1U);
  EXPECT_TRUE(run->sources.back().is_capture);
  std::size_t kernels = 0;
  for_each_slice(
      *run, Captures::kLeaveOut, [](SliceKind kind) { return kind == SliceKind::kKernel; },
      std::array<const Column*, 0>{}, [&](std::size_t, SliceKind, const auto&) { ++kernels; });
  EXPECT_EQ(kernels, 40U);
  EXPECT_TRUE(run->status());
}

}  // namespace
}  // namespace tactus
