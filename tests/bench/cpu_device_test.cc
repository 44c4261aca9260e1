// The host as a device: what its copies are timed at.
#include <gtest/gtest.h>

#include "bench/device.h"

namespace tactus {
namespace {

TEST(CpuDevice, times_a_copy_of_any_size) {
  const std::unique_ptr<Device> device = make_cpu_device(2);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, std::size_t{3} << 20}) {
    const std::optional<double> t_ns = device->copy_ns(bytes);
    ASSERT_TRUE(t_ns) << bytes;
    EXPECT_GT(*t_ns, 0) << bytes;
  }
}

}  // namespace
}  // namespace tactus
