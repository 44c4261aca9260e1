// The host as a device: what its copies are timed at.
#include <gtest/gtest.h>

#include <vector>

#include "bench/device/cache_lines.h"
#include "bench/device/device.h"

namespace tactus {
namespace {

TEST(CpuDevice, times_a_copy_that_is_worth_a_flush_of_the_caches) {
  const std::unique_ptr<TimedDevice> device = make_cpu_device(2);
  EXPECT_FALSE(device->copy_ns(5000));
  const std::optional<double> t_ns = device->copy_ns((std::size_t{17} << 20) + 1);
  ASSERT_TRUE(t_ns);
  EXPECT_GT(*t_ns, 0);
}

TEST(CacheLines, what_is_taken_out_of_the_caches_is_still_there) {
  if (!can_evict_lines()) GTEST_SKIP() << "this processor has no instruction for it";
  std::vector<std::byte> memory(10007);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7);
  evict_lines(memory.data() + 3, 9001);
  evict_lines(memory.data(), 0);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    ASSERT_EQ(memory[i], static_cast<std::byte>(i * 7)) << i;
  }
}

}  // namespace
}  // namespace tactus
