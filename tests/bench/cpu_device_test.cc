// The host as a device: what its copies are timed at.
#include <gtest/gtest.h>

#include "bench/device.h"

namespace tactus {
namespace {

TEST(CpuDevice, times_a_copy_that_is_worth_a_flush_of_the_caches) {
  const std::unique_ptr<Device> device = make_cpu_device(2);
  EXPECT_FALSE(device->copy_ns(5000));
  const std::optional<double> t_ns = device->copy_ns((std::size_t{17} << 20) + 1);
  ASSERT_TRUE(t_ns);
  EXPECT_GT(*t_ns, 0);
}

}  // namespace
}  // namespace tactus
