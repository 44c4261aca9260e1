#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

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

template <class Append, class... Options>
std::string text(const Append& append, double value, Options... options) {
  std::string out;
  append(value, options..., out);
  return out;
}

TEST(AppendedNumber, has_the_decimals_asked_for) {
  EXPECT_EQ(text(append_fixed, 1234.5, 2), "1234.50");
  EXPECT_EQ(text(append_fixed, -0.0000004, 6), "-0.000000");
  EXPECT_EQ(text(append_fixed, 0.125, 2), "0.12");  // exactly half: to the even digit
}

TEST(AppendedNumber, shows_the_sign_of_a_change_in_any_case) {
  EXPECT_EQ(text(append_signed, 0.25, 2), "+0.25");
  EXPECT_EQ(text(append_signed, 0.0, 2), "+0.00");
  EXPECT_EQ(text(append_signed, -3.0, 2), "-3.00");
}

TEST(AppendedNumber, writes_six_digits_as_short_as_they_can_be) {
  EXPECT_EQ(text(append_short, 2.36), "2.36");
  EXPECT_EQ(text(append_short, 92878.5), "92878.5");
  EXPECT_EQ(text(append_short, 24786512345678.0), "2.47865e+13");
  EXPECT_EQ(text(append_short, 0.0), "0");
}

TEST(AppendedNumber, has_room_for_the_largest_number_and_words_for_what_is_none) {
  EXPECT_EQ(text(append_fixed, std::numeric_limits<double>::max(), 6).size(), 309U + 7U);
  EXPECT_EQ(text(append_fixed, std::numeric_limits<double>::infinity(), 2), "inf");
  EXPECT_EQ(text(append_fixed, std::nan(""), 2), "nan");
}

TEST(FiniteNumber, takes_the_whole_text) {
  EXPECT_EQ(finite_number("5"), 5);
  EXPECT_EQ(finite_number("-1.5e3"), -1500);
  EXPECT_EQ(finite_number("-0.0"), 0);
}

TEST(FiniteNumber, refuses_what_is_not_a_finite_number) {
  for (const char* text : {"", " ", "nan", "-nan", "NaN", "nan(1)", "inf", "-inf", "Infinity",
                           "1e999", "-1e999", "5 ", " 5", "5%", "0x10", "1,5", "--5", "five"}) {
    EXPECT_FALSE(finite_number(text)) << text;
  }
}

TEST(Nearest, finds_typing_errors_and_parts_of_words) {
  constexpr std::array<std::string_view, 4> kWords = {"top", "serve", "kernels", "rms_norm"};
  EXPECT_EQ(nearest("srve", kWords), "serve");
  EXPECT_EQ(nearest("kernel", kWords), "kernels");
  EXPECT_EQ(nearest("rms_nrom", kWords), "rms_norm");
  EXPECT_EQ(nearest("norm", kWords), "rms_norm");
}

TEST(Nearest, names_nothing_that_is_only_as_long) {
  constexpr std::array<std::string_view, 2> kWords = {"top", "sql"};
  EXPECT_EQ(nearest("foo", kWords), "");
  EXPECT_EQ(nearest("pdf", kWords), "");
}

}  // namespace
}  // namespace tactus
