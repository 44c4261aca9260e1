#include "record/ready/record_check.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "record/ready/launch_cost.h"
#include "record/recorded_program.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus::record {
namespace {

TEST(RecordCheck, says_who_may_attach_to_a_process) {
  const tactus::testing::TemporaryFolder root;
  EXPECT_EQ(check_ptrace(root.path(), false).state, CheckState::kOk);  // no Yama
  std::filesystem::create_directories(root.path() / "proc/sys/kernel/yama");
  root.write("proc/sys/kernel/yama/ptrace_scope", "1\n");
  const CheckItem denied = check_ptrace(root.path(), false);
  EXPECT_EQ(denied.state, CheckState::kDenied);
  EXPECT_NE(denied.fix.find("ptrace_scope=0"), std::string::npos);
  EXPECT_EQ(check_ptrace(root.path(), true).state, CheckState::kOk);
  root.write("proc/sys/kernel/yama/ptrace_scope", "3\n");
  EXPECT_EQ(check_ptrace(root.path(), true).state, CheckState::kDenied);
}

TEST(RecordCheck, finds_cupti_in_toolkits_and_python_packages) {
  const tactus::testing::TemporaryFolder root;
  EXPECT_EQ(check_cupti(root.path(), "").state, CheckState::kMissing);
  const std::string package = "usr/lib/python3.11/dist-packages/nvidia/cuda_cupti/lib/";
  std::filesystem::create_directories(root.path() / package);
  root.write(package + "libcupti.so.12", "");
  const CheckItem found = check_cupti(root.path(), "");
  EXPECT_EQ(found.state, CheckState::kOk);
  EXPECT_NE(found.found.find("libcupti.so.12"), std::string::npos);
  EXPECT_EQ(check_cupti("/nowhere", (root.path() / package).string()).state, CheckState::kOk);
}

TEST(RecordCheck, measures_what_a_launch_costs_or_says_why_not) {
  const tactus::testing::Ended ended = tactus::testing::run_command(TACTUS_TOOL " check --json");
  EXPECT_EQ(ended.code, 0);
  const bool is_measured =
      ended.out.find("ns with the agent inside and nobody recording") != std::string::npos;
  const bool is_busy = ended.out.find("the machine is too busy") != std::string::npos;
  EXPECT_TRUE(is_measured || is_busy) << ended.out;
}

}  // namespace
}  // namespace tactus::record
