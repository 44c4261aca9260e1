#include "measure/host_parts.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tactus {
namespace {

TEST(HostParts, are_what_the_thread_did_and_add_up_to_the_step) {
  const std::vector<HostCall> calls = {{10, 20, Part::kLaunching},
                                       {40, 60, Part::kWaitCall},
                                       {70, 130, Part::kLaunching},
                                       {140, 150, Part::kNotOnCore}};
  HostParts parts(&calls);
  const auto first = parts.next(0, 100);
  EXPECT_EQ(first[static_cast<std::size_t>(Part::kLaunching)], 10 + 30);
  EXPECT_EQ(first[static_cast<std::size_t>(Part::kDeviceWait)], 20) << "the device works meanwhile";
  EXPECT_EQ(first[static_cast<std::size_t>(Part::kHostCode)], 10 + 20 + 10);
  EXPECT_EQ(std::accumulate(first.begin(), first.end(), 0.0), 100);
  const auto second = parts.next(100, 200);
  EXPECT_EQ(second[static_cast<std::size_t>(Part::kLaunching)], 30) << "a call across both";
  EXPECT_EQ(second[static_cast<std::size_t>(Part::kNotOnCore)], 10);
  EXPECT_EQ(second[static_cast<std::size_t>(Part::kHostCode)], 60);
}

}  // namespace
}  // namespace tactus
