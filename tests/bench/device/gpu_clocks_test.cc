// Which of a GPU's reasons for lower clocks count. The reading itself needs a GPU; here NVML is a
// table of functions.
#include "bench/device/gpu_clocks.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tactus {
namespace {

TEST(ClocksLowered, counts_heat_and_power) {
  for (const std::uint64_t bit : {0x4U, 0x8U, 0x20U, 0x40U, 0x80U}) {
    EXPECT_TRUE(clocks_lowered(bit)) << bit;
    EXPECT_TRUE(clocks_lowered(bit | 0x3)) << bit;
    EXPECT_NE(lowered_words(bit), "") << bit;
  }
}

TEST(ClocksLowered, does_not_count_what_is_no_fault_of_the_moment) {
  EXPECT_FALSE(clocks_lowered(0));
  EXPECT_FALSE(clocks_lowered(0x1)) << "idle";
  EXPECT_FALSE(clocks_lowered(0x2)) << "clocks that somebody chose";
  EXPECT_FALSE(clocks_lowered(0x10)) << "boosting with others";
  EXPECT_FALSE(clocks_lowered(0x100)) << "a display";
  EXPECT_EQ(lowered_words(0x113), "");
}

TEST(ClocksLowered, says_all_reasons_in_words) {
  EXPECT_EQ(lowered_words(0x4 | 0x20 | 0x1), "power cap, heat");
}

Nvml made_up_nvml() {
  return {.nvmlInit_v2 = [] { return 0; },
          .nvmlDeviceGetHandleByPciBusId_v2 =
              [](const char* bus_id, Nvml::Device* device) {
                static int the_gpu;
                *device = &the_gpu;
                return std::strcmp(bus_id, "0000:17:00.0") == 0 ? 0 : 6;
              },
          .nvmlDeviceGetClockInfo =
              [](Nvml::Device, int clock, unsigned* mhz) {
                *mhz = 1980;
                return clock == 1 ? 0 : 2;  // NVML_CLOCK_SM
              },
          .reasons =
              [](Nvml::Device, unsigned long long* reasons) {
                *reasons = 0x4;
                return 0;
              }};
}

TEST(GpuClocks, are_those_of_the_gpu_at_that_place) {
  EXPECT_FALSE(GpuClocks::open(made_up_nvml(), "0000:18:00.0"));
  const std::optional<GpuClocks> clocks = GpuClocks::open(made_up_nvml(), "0000:17:00.0");
  ASSERT_TRUE(clocks);
  EXPECT_EQ(clocks->read().sm_mhz, 1980U);
  EXPECT_EQ(clocks->read().reasons, 0x4U);
}

TEST(GpuClocks, are_unknown_where_nvml_does_not_start_or_does_not_say) {
  Nvml nvml = made_up_nvml();
  nvml.nvmlInit_v2 = [] { return 9; };
  EXPECT_FALSE(GpuClocks::open(nvml, "0000:17:00.0"));
  nvml = made_up_nvml();
  nvml.nvmlDeviceGetClockInfo = [](Nvml::Device, int, unsigned*) { return 3; };
  nvml.reasons = [](Nvml::Device, unsigned long long* reasons) {
    *reasons = ~0ull;
    return 3;
  };
  const ClockReading reading = GpuClocks::open(nvml, "0000:17:00.0")->read();
  EXPECT_FALSE(reading.sm_mhz);
  EXPECT_EQ(reading.reasons, 0U);
}

}  // namespace
}  // namespace tactus
