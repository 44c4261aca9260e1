#include "sources/text/number.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

std::optional<std::int64_t> cut(std::string_view text, int power) {
  const std::optional<WholeNumber> number = read_scaled(text, power);
  return number ? std::optional(number->cut) : std::nullopt;
}

std::optional<std::int64_t> rounded(std::string_view text, int power) {
  const std::optional<WholeNumber> number = read_scaled(text, power);
  return number ? std::optional(number->rounded) : std::nullopt;
}

TEST(ScaledNumber, is_exact_where_a_double_is_not) {
  EXPECT_EQ(cut("1.266", 9), 1'266'000'000);
  EXPECT_EQ(cut("1763084524030155.250000", 3), 1'763'084'524'030'155'250);
  EXPECT_EQ(cut("9007199254740993", 0), 9'007'199'254'740'993);
  EXPECT_EQ(cut("0.1", 1), 1);
}

TEST(ScaledNumber, is_cut_or_rounded_as_asked) {
  EXPECT_EQ(cut("7086.8", 0), 7086);
  EXPECT_EQ(rounded("7086.8", 0), 7087);
  EXPECT_EQ(rounded("7086.49", 0), 7086);
  EXPECT_EQ(cut("-1.5", 0), -1);
  EXPECT_EQ(rounded("-1.5", 0), -2);
  EXPECT_EQ(cut("0.04", 1), 0);
  EXPECT_EQ(rounded("0.05", 1), 1);
  EXPECT_EQ(rounded("5", -1), 1);
  EXPECT_EQ(rounded("5", -2), 0);
}

TEST(ScaledNumber, may_have_an_exponent) {
  EXPECT_EQ(cut("2.520152e+06", 0), 2'520'152);
  EXPECT_EQ(cut("25E-1", 0), 2);
  EXPECT_EQ(cut("0e999999999999", 0), 0);
  EXPECT_EQ(cut("1e-999999999999", 0), 0);
}

TEST(ScaledNumber, must_fit) {
  EXPECT_EQ(cut("9223372036854775806", 0), 9'223'372'036'854'775'806);
  EXPECT_EQ(cut("9223372036854775807", 0), std::nullopt);
  EXPECT_EQ(cut("1e308", 0), std::nullopt);
  EXPECT_EQ(cut("1e99999999999999999999", 0), std::nullopt);
  EXPECT_EQ(cut(std::string(100'000, '9'), 0), std::nullopt);
  EXPECT_EQ(cut(std::string(100'000, '0') + "7", 0), 7);
}

TEST(ScaledNumber, is_nothing_where_no_number_is_written) {
  for (const char* text :
       {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "NaN", "inf", "0x10", "1 2", " 1", "1,000"}) {
    EXPECT_EQ(cut(text, 0), std::nullopt) << text;
  }
}

TEST(WholeNumber, has_nothing_behind_the_point) {
  EXPECT_EQ(read_whole("7.0"), 7);
  EXPECT_EQ(read_whole("0.7e1"), 7);
  EXPECT_EQ(read_whole("7.5"), std::nullopt);
  EXPECT_EQ(read_whole("7e-1"), std::nullopt);
}

TEST(Trim, takes_blanks_and_tabs_from_both_ends) {
  EXPECT_EQ(trim(" \ta b\t "), "a b");
  EXPECT_EQ(trim("  "), "");
  EXPECT_EQ(trim(""), "");
}

}  // namespace
}  // namespace tactus
