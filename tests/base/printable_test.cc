#include "base/printable.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/utf8.h"

namespace tactus {
namespace {

TEST(Printable, leaves_names_as_they_are) {
  for (const char* name : {"", "void f<int, 4>(T *)", "3.2 μs → 4", "核", "\U0001F680", "\\x1b"}) {
    EXPECT_EQ(printable(name), name);
  }
}

TEST(Printable, shows_what_would_control_a_terminal) {
  EXPECT_EQ(printable("a\x1b[31mb\n\t\r\x7f"), "a\\x1b[31mb\\x0a\\x09\\x0d\\x7f");
  EXPECT_EQ(printable("\u0085\u009b2J\u00a0"), "\\u0085\\u009b2J\u00a0");
}

TEST(Printable, shows_what_would_turn_text_around_or_end_a_line) {
  EXPECT_EQ(printable("\u200e\u200f\u061c"), "\\u200e\\u200f\\u061c");
  EXPECT_EQ(printable("\u202a\u202b\u202c\u202d\u202e"), "\\u202a\\u202b\\u202c\\u202d\\u202e");
  EXPECT_EQ(printable("\u2066\u2067\u2068\u2069"), "\\u2066\\u2067\\u2068\\u2069");
  EXPECT_EQ(printable("a\u2028b\u2029"), "a\\u2028b\\u2029");
}

TEST(Printable, shows_bytes_that_are_not_utf8) {
  EXPECT_EQ(printable("a\x9b"
                      "31m\xFF\xE2\x80"),
            "a\\x9b31m\\xff\\xe2\\x80");
}

TEST(Printable, knows_all_control_characters) {
  for (unsigned code = 0; code < 0x3000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    append_utf8(text, code);
    EXPECT_EQ(printable(text) != text, is_control_character(code)) << code;
  }
}

TEST(Printable, keeps_the_lines_of_a_message) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(printable_lines("it says:\r\n\tx = \x1b[1m1\n\n  ^\n\n"),
            (Lines{"it says:", "    x = \\x1b[1m1", "", "  ^"}));
  EXPECT_EQ(printable_lines(""), Lines{});
}

TEST(Printable, characters_are_escaped_in_json_and_mean_the_same) {
  const std::string name = "a\x1b\x7f\u009b\u202e\u2028\u2066z核";
  const std::string text = Json(name).dump();
  EXPECT_EQ(text, "\"a\\u001b\\u007f\\u009b\\u202e\\u2028\\u2066z核\"");
  EXPECT_EQ(Json::parse(text).get<std::string>(), name);
}

}  // namespace
}  // namespace tactus
