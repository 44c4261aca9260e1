#include "bench/checking/tolerance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tactus {
namespace {

constexpr NumberType kBf16 = NumberType::kBf16;
constexpr double kUlp = 0x1p-7;  // of bf16, from 1 to 2

TEST(Tolerance, is_said_after_rounding) {
  EXPECT_EQ(allowed_words(kBf16, 1.25, 1e-6), "the nearest bf16");
  EXPECT_EQ(allowed_words(kBf16, 1.25 + kUlp / 2, 1e-6), "within 1 ulp of bf16") << "a tie";
  EXPECT_EQ(allowed_words(kBf16, 1.25, 2 * kUlp), "within 2 ulp of bf16");
  EXPECT_EQ(allowed_words(NumberType::kFp32, 1, 0.01), "within 0.01");
  EXPECT_EQ(allowed_words(NumberType::kInt32, 7, 0), "exactly");
  EXPECT_EQ(allowed_words(NumberType::kFp8E4m3, 1000, 1), "the nearest fp8_e4m3") << "NaN";
}

TEST(Tolerance, of_many_numbers_names_most_and_all) {
  Tolerance tolerance;
  EXPECT_EQ(tolerance.words(), "");
  for (int i = 0; i < 99; ++i) tolerance.add(kBf16, 0);
  EXPECT_EQ(tolerance.words(), "the nearest bf16");
  Tolerance other;
  other.add(kBf16, 1);
  tolerance.add(other);
  EXPECT_EQ(tolerance.words(), "the nearest bf16 (9 of 10 numbers), within 1 ulp of bf16 (all)");
  for (int i = 0; i < 1000; ++i) tolerance.add(kBf16, 11);
  EXPECT_EQ(tolerance.words(), "within 16 ulp of bf16") << "more than 8 in powers of two";
  tolerance.add(kBf16, std::int64_t{1} << 40);
  EXPECT_EQ(tolerance.words(), "within 16 ulp of bf16 (9 of 10 numbers)") << "a number near 0";
  Tolerance wide;
  wide.add(NumberType::kFp32, 1 << 16);
  EXPECT_EQ(wide.words(), "within 0.78% of the number");
}

TEST(UsedSlack, is_what_is_needed_beyond_the_rounding) {
  EXPECT_EQ(used_slack(kBf16, 1.25, 1.251, 0.01), 0) << "the nearest needs none";
  // 1.25 + 3/4 ulp rounds up; to round down, it has to be a quarter less.
  EXPECT_NEAR(used_slack(kBf16, 1.25, 1.25 + 0.75 * kUlp, kUlp), 0.25, 1e-9);
  EXPECT_NEAR(used_slack(kBf16, -1.25, -1.25 - 0.75 * kUlp, kUlp), 0.25, 1e-9);
  EXPECT_NEAR(used_slack(NumberType::kFp32, 1.01, 1, 0.02), 0.5, 1e-4);
  // Below a power of two numbers are twice as dense.
  EXPECT_NEAR(used_slack(kBf16, 1, 1 - 0.75 * kUlp / 2, kUlp), 0.125, 1e-9);
  EXPECT_EQ(used_slack(kBf16, 2, 1, 0), 0);
  EXPECT_EQ(used_slack(kBf16, NAN, NAN, 1), 0);
}

TEST(UsedSlack, is_at_most_1_where_a_number_is_within_its_slack) {
  for (int i = -64; i <= 64; ++i) {
    const double value = 1 + i * kUlp / 16;
    for (int j = -8; j <= 8; ++j) {
      const double got = 1 + (j < 0 ? j * kUlp / 2 : j * kUlp);
      for (const double slack : {kUlp / 8, kUlp, 3 * kUlp}) {
        if (within(kBf16, got, value, slack)) {
          EXPECT_LE(used_slack(kBf16, got, value, slack), 1);
          EXPECT_GE(used_slack(kBf16, got, value, slack), 0);
        } else {
          EXPECT_GT(used_slack(kBf16, got, value, slack), 0.99);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tactus
