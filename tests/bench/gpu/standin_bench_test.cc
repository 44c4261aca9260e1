// The judge of kernels for GPUs, with a driver that has none (tests/standin).
#include <gtest/gtest.h>

#include <cstdlib>

#include "bench/measured.h"
#include "support/paths.h"

namespace tactus::testing {
namespace {

BenchRow row_of(const std::string& name) {
  // The stand-in is the driver of the worker, which starts anew.
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  const std::string kept = before != nullptr ? before : "";
  setenv("LD_LIBRARY_PATH", (std::string(TACTUS_STANDIN) + ":" + kept).c_str(), 1);
  setenv("TACTUS_FAKE_KERNELS", test_candidate("gpu_standin").path.c_str(), 1);
  Candidate candidate = face_of("gpu_standin", name);
  candidate.device = TACTUS_CUDA;
  MeasureOptions options = test_options();
  options.stop = {.at_least = 40, .at_most = 80, .rounds = 8, .tight = 0.01, .seconds = 0.3};
  const BenchRow row = measured(candidate, "rms_norm", {{"tokens", 40}, {"hidden", 256}}, options);
  std::filesystem::remove(candidate.path);
  setenv("LD_LIBRARY_PATH", kept.c_str(), 1);
  unsetenv("TACTUS_FAKE_KERNELS");
  return row;
}

class GpuCheats : public ::testing::TestWithParam<std::string> {};

TEST_P(GpuCheats, are_not_ok) {
  const BenchRow row = row_of(GetParam());
  EXPECT_NE(bench_status_name(row.status), "ok");
  EXPECT_NE(bench_status_name(row.status), "skipped") << row.reason;
  EXPECT_NE(row.reason, "");
  EXPECT_FALSE(row.t_ns) << "what failed has no time";
}

INSTANTIATE_TEST_SUITE_P(All, GpuCheats, ::testing::ValuesIn(faces_of("gpu_standin", false)),
                         [](const auto& param) { return param.param; });

class HonestGpuKernels : public ::testing::TestWithParam<std::string> {};

TEST_P(HonestGpuKernels, are_ok) {
  const BenchRow row = row_of(GetParam());
  EXPECT_EQ(bench_status_name(row.status), "ok") << row.reason;
  EXPECT_GT(row.t_ns.value_or(0), 0);
  EXPECT_GT(row.launch_floor_ns.value_or(0), 0) << "by whichever clock";
  const bool captured = row.note.find("no CUDA graph") == std::string::npos;
  EXPECT_EQ(captured, GetParam() != "gains_nothing_by_waiting") << row.note;
}

INSTANTIATE_TEST_SUITE_P(All, HonestGpuKernels, ::testing::ValuesIn(faces_of("gpu_standin", true)),
                         [](const auto& param) { return param.param; });

TEST(GpuResults, name_the_card_and_say_how_long_a_row_took) {
  const Candidate candidate = face_of("gpu_standin", "gains_nothing_right");
  const std::string command =
      "LD_LIBRARY_PATH='" TACTUS_STANDIN "' TACTUS_FAKE_KERNELS='" +
      test_candidate("gpu_standin").path + "' '" TACTUS_TOOL "' bench --device cuda --candidate '" +
      candidate.path +
      "' --operator rms_norm --shape tokens=4,hidden=64 --check-only --hardware H200 --json | "
      "tr -d '\n ' | grep -Eq '\"card\":\"[0-9a-f]{8}\".*\"seconds\":[0-9]'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::filesystem::remove(candidate.path);
}

TEST(GpuCheats, that_need_a_driver_say_so_without_one) {
  Candidate candidate = test_candidate("gpu_standin");
  candidate.device = TACTUS_CUDA;
  const BenchRow row = measured(candidate, "rms_norm", {{"tokens", 4}, {"hidden", 64}});
  EXPECT_NE(bench_status_name(row.status), "ok");
}

}  // namespace
}  // namespace tactus::testing
