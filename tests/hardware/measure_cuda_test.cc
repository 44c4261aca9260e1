#include "hardware/measure_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;

class CountingProgress final : public Progress {
 public:
  void update(std::string_view, std::uint64_t, std::uint64_t) override { ++updates; }
  int updates = 0;
};

TEST(MeasureCuda, says_in_one_line_that_its_library_is_missing) {
  const testing::TemporaryFolder folder;
  NoProgress progress;
  const auto profile = measure_cuda(
      0, progress, true, {.cache_folder = "", .library_folders = {folder.path().string()}});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message,
            "cannot measure the GPU: libtactus_cuda_ceilings.so is not next to this program; a "
            "build with nvcc on the PATH makes it");
}

TEST(MeasureCuda, says_that_its_library_is_no_library) {
  const testing::TemporaryFolder folder;
  folder.write("libtactus_cuda_ceilings.so", "no library");
  NoProgress progress;
  const auto profile = measure_cuda(
      0, progress, true, {.cache_folder = "", .library_folders = {folder.path().string()}});
  ASSERT_FALSE(profile);
  EXPECT_THAT(profile.error().message, HasSubstr("cannot measure the GPU: "));
}

TEST(MeasureCuda, names_the_profile_after_the_device_and_keeps_it) {
  const testing::TemporaryFolder folder;
  const CudaOptions options = {.cache_folder = folder.file("cache"),
                               .library_folders = {TACTUS_FAKE_CUDA}};
  CountingProgress progress;
  std::string warning;
  const auto profile = measure_cuda(0, progress, false, options, &warning);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(warning, "");
  EXPECT_EQ(profile->name, "NVIDIA Fake 80GB");
  EXPECT_EQ(profile->arch, "sm_90");
  EXPECT_EQ(profile->memory_bandwidth.value, 3.2e12);
  EXPECT_EQ(profile->memory_bandwidth.source,
            "measured: read 3100 GB/s, write 3200 GB/s, copy 3000 GB/s");
  EXPECT_EQ(profile->launch_floor_ns->value, 1200);
  EXPECT_EQ(profile->peak(Engine::kTensor, NumberType::kFp8E4m3), 1400e12);
  EXPECT_EQ(profile->peak(Engine::kVector, NumberType::kFp32), 60e12);
  EXPECT_FALSE(profile->peak(Engine::kTensor, NumberType::kInt8));
  EXPECT_EQ(progress.updates, 2);

  const auto again = measure_cuda(0, progress, false, options);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(hardware_profile_text(*again), hardware_profile_text(*profile));
  EXPECT_EQ(progress.updates, 2);
  ASSERT_TRUE(measure_cuda(0, progress, true, options));
  EXPECT_EQ(progress.updates, 4);
}

TEST(MeasureCuda, keeps_no_profile_without_tensor_peaks) {
  const testing::TemporaryFolder folder;
  const CudaOptions options = {.cache_folder = folder.file("cache"),
                               .library_folders = {TACTUS_FAKE_CUDA}};
  NoProgress progress;
  std::string warning;
  const auto profile = measure_cuda(1, progress, false, options, &warning);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(warning, HasSubstr("tensor peaks of the GPU were not measured: libcublasLt.so"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("cache")));
}

TEST(MeasureCuda, says_that_there_is_no_such_gpu) {
  NoProgress progress;
  const auto profile =
      measure_cuda(2, progress, true, {.cache_folder = "", .library_folders = {TACTUS_FAKE_CUDA}});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "cannot measure the GPU: there is no such GPU");
}

}  // namespace
}  // namespace tactus
