#include <gtest/gtest.h>

#include "run/event_view.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::import_json;

std::string event(const std::string& category, std::int64_t pid, std::int64_t ts,
                  std::int64_t correlation) {
  return R"({"ph":"X","cat":")" + category + R"(","name":"n","pid":)" + std::to_string(pid) +
         R"(,"tid":1,"ts":)" + std::to_string(ts) + R"(,"dur":1,"args":{"correlation":)" +
         std::to_string(correlation) + "}},";
}

/// `count` launches, then a kernel for each, five microseconds after its launch.
template <class Correlation>
Run launches_and_kernels(std::int64_t count, const Correlation& correlation) {
  std::string text = "[";
  for (std::int64_t i = 0; i < count; ++i) {
    text += event("cuda_runtime", 1, 10 * i, correlation(i));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    text += event("kernel", 0, 10 * i + 5, correlation(i));
  }
  return import_json(text);
}

void expect_own_launches(const Run& run, std::size_t count) {
  ASSERT_EQ(run.links.rows, count);
  for_each_launch(run,
                  [&](std::uint32_t call, std::uint32_t work) { ASSERT_EQ(call + count, work); });
}

TEST(Links, know_the_launch_of_each_of_very_many_kernels_with_one_correlation) {
  const auto run = launches_and_kernels(100'000, [](std::int64_t) { return 7; });
  expect_own_launches(run, 100'000);
  EXPECT_EQ(run.repaired.at("duplicate_correlation"), 99'999U);
}

TEST(Links, hold_for_correlations_that_are_far_apart) {
  const auto run =
      launches_and_kernels(1000, [](std::int64_t i) { return i % 2 == 0 ? i + 1 : INT64_MAX - i; });
  expect_own_launches(run, 1000);
  EXPECT_TRUE(run.repaired.empty());
}

TEST(Links, follow_very_many_flow_points_of_one_arrow) {
  constexpr int kMany = 50'000;
  std::string text = "[";
  for (int i = 0; i < kMany; ++i) {
    const std::string time = std::to_string(10 * i);
    text += R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":)" + time +
            R"(,"dur":5},{"ph":"t","cat":"c","name":"f","id":1,"pid":1,"tid":1,"ts":)" + time +
            "},";
  }
  const auto run = import_json(text);
  ASSERT_EQ(run.links.rows, static_cast<std::size_t>(kMany - 1));
  EXPECT_EQ(run.links.from()[kMany - 2], kMany - 2);
  EXPECT_EQ(run.links.to()[kMany - 2], kMany - 1);
}

}  // namespace
}  // namespace tactus
