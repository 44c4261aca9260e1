#include "bounds/costs/expected_draw.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tactus {
namespace {

TEST(ExpectedDraw, counts_the_experts_that_somebody_names) {
  EXPECT_DOUBLE_EQ(expected_experts_distinct(4, 1, 2), 2);
  EXPECT_DOUBLE_EQ(expected_experts_distinct(4, 2, 2), 3);
  EXPECT_DOUBLE_EQ(expected_experts_distinct(4, 1, 9), 4);
  EXPECT_DOUBLE_EQ(expected_experts_repeated(4, 2), 1.75);  // 2, or 1 in a quarter of the cases
  EXPECT_DOUBLE_EQ(expected_pairs_repeated(4, 3, 2), 3 * 1.75);
}

TEST(ExpectedDraw, pads_each_experts_slots_to_blocks) {
  // Two slots, two experts: both at one expert or one at each, with equal chance.
  EXPECT_DOUBLE_EQ(expected_blocks(2, 2, 2), 1.5);
  EXPECT_DOUBLE_EQ(expected_blocks(2, 2, 1), 2);
  EXPECT_DOUBLE_EQ(expected_blocks(1, 5, 2), 3);
}

TEST(ExpectedDraw, copes_with_huge_numbers) {
  EXPECT_NEAR(expected_blocks(1e18, 1e18, 128) / 1e18, 1 - std::exp(-1.0), 1e-9);
  EXPECT_NEAR(expected_blocks(128, 1e18, 128) * 128 / 1e18, 1, 1e-9);
}

TEST(ExpectedDraw, agrees_with_itself_where_the_method_changes) {
  // Where numbers spread by a thousand, remainders are as good as uniform.
  const double exact = expected_blocks(128, 1.28e8, 128);
  const double uniform = expected_blocks(128, 1.2901e8, 128) - 1.01e6 / 128;
  EXPECT_NEAR(exact, uniform, 1);
}

}  // namespace
}  // namespace tactus
