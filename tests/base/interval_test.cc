#include "base/interval.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(Intervals, that_overlap_or_touch_are_one) {
  const std::vector<Interval> out = joined({{30, 40}, {0, 10}, {5, 8}, {10, 20}});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].begin_ns, 0);
  EXPECT_EQ(out[0].end_ns, 20);
  EXPECT_EQ(out[1].begin_ns, 30);
  EXPECT_EQ(out[1].end_ns, 40);
}

TEST(BusyTime, counts_a_moment_once) {
  BusyTime time;
  for (const Interval& interval : {Interval{0, 10}, {5, 8}, {8, 12}, {20, 21}}) time.add(interval);
  EXPECT_EQ(time.busy_ns(), 13);
  EXPECT_TRUE(time.in_order());
  time.add({1, 2});
  EXPECT_FALSE(time.in_order());
}

}  // namespace
}  // namespace tactus
