#include "base/count_text.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(CountText, has_a_comma_every_three_digits) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
}

TEST(CountText, knows_one_from_many) {
  EXPECT_EQ(count_of(1, "pass", "passes"), "1 pass");
  EXPECT_EQ(count_of(0, "pass", "passes"), "0 passes");
  EXPECT_EQ(count_of(19493, "pass", "passes"), "19,493 passes");
  EXPECT_EQ(count_of(-3, "pass", "passes"), "0 passes");
}

}  // namespace
}  // namespace tactus
