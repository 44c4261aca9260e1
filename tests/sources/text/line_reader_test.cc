#include "sources/text/line_reader.h"

#include <gtest/gtest.h>

#include <vector>

#include "sources/text/text_input.h"

namespace tactus {
namespace {

using testing::TextInput;

std::vector<std::string> lines_of(std::string_view text) {
  TextInput input(text);
  LineReader reader(input.bytes());
  std::vector<std::string> lines;
  for (;;) {
    const Result<bool> more = reader.next();
    if (!more || !*more) return lines;
    lines.emplace_back(reader.line());
    EXPECT_EQ(reader.line_number(), lines.size());
  }
}

using Lines = std::vector<std::string>;

TEST(LineReader, ends_lines_at_lf_and_crlf_and_the_end_of_the_input) {
  EXPECT_EQ(lines_of("a\nb\r\n\nlast"), (Lines{"a", "b", "", "last"}));
  EXPECT_EQ(lines_of("a\n"), (Lines{"a"}));
  EXPECT_EQ(lines_of("a\r"), (Lines{"a"}));
  EXPECT_EQ(lines_of("\n\n"), (Lines{"", ""}));
  EXPECT_EQ(lines_of(""), Lines{});
}

TEST(LineReader, goes_back_to_a_line_that_is_held) {
  std::string text =
      "\xEF\xBB\xBF"
      "first\r\n";
  for (int i = 0; i < 50'000; ++i) text += "line " + std::to_string(i) + "\n";
  TextInput input(text);
  LineReader reader(input.bytes());
  ASSERT_TRUE(*reader.next());
  reader.hold();
  for (int i = 0; i < 50'000; ++i) ASSERT_TRUE(*reader.next());
  EXPECT_EQ(reader.line(), "line 49999");
  const std::uint64_t consumed = reader.bytes_consumed();
  reader.go_back();
  ASSERT_TRUE(*reader.next());
  EXPECT_EQ(reader.line(), "first");
  EXPECT_EQ(reader.line_number(), 1U);
  for (int i = 0; i < 50'000; ++i) {
    ASSERT_TRUE(*reader.next());
    ASSERT_EQ(reader.line(), "line " + std::to_string(i));
  }
  EXPECT_EQ(reader.bytes_consumed(), consumed);
  EXPECT_FALSE(*reader.next());
}

TEST(LineReader, keeps_a_carriage_return_inside_a_line) {
  EXPECT_EQ(lines_of("a\rb\r\r\n"), (Lines{"a\rb\r"}));
}

TEST(LineReader, leaves_out_a_byte_order_mark_at_the_start_only) {
  EXPECT_EQ(lines_of("\xEF\xBB\xBFname\n\xEF\xBB\xBFx"), (Lines{"name", "\xEF\xBB\xBFx"}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"), (Lines{""}));
}

TEST(LineReader, says_what_a_line_ended_in) {
  TextInput input("a\nb\r\nc");
  LineReader reader(input.bytes());
  for (const std::string_view ending : {"\n", "\r\n", ""}) {
    ASSERT_TRUE(*reader.next());
    EXPECT_EQ(reader.ending(), ending);
  }
  EXPECT_FALSE(*reader.next());
}

TEST(LineReader, reads_lines_of_any_length_up_to_the_limit) {
  std::string text;
  Lines wanted;
  for (const std::size_t length : {0UL, 1UL, 300'000UL, 5UL, 262'144UL, 262'143UL, 2'000'000UL}) {
    wanted.emplace_back(length, static_cast<char>('a' + wanted.size()));
    text += wanted.back() + "\r\n";
  }
  EXPECT_EQ(lines_of(text), wanted);
}

TEST(LineReader, refuses_a_line_that_is_longer_than_the_limit) {
  TextInput input("short\n" + std::string(LineReader::kLongestLine + 1, 'x'));
  LineReader reader(input.bytes());
  ASSERT_TRUE(*reader.next());
  const Result<bool> more = reader.next();
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kInput);
  EXPECT_NE(more.error().message.find("line 2"), std::string::npos);
}

TEST(LineReader, does_not_give_out_the_line_that_compressed_data_breaks_off_in) {
  EXPECT_EQ(lines_of(testing::gzip_breaking_off_after("one\n12\n345")), (Lines{"one", "12"}));
}

TEST(LineReader, counts_the_bytes_it_gave_out) {
  TextInput input("ab\r\ncd");
  LineReader reader(input.bytes());
  ASSERT_TRUE(*reader.next());
  EXPECT_EQ(reader.bytes_consumed(), 4U);
  ASSERT_TRUE(*reader.next());
  EXPECT_EQ(reader.bytes_consumed(), 6U);
}

}  // namespace
}  // namespace tactus
