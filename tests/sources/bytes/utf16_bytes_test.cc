#include <gtest/gtest.h>

#include "sources/bytes/input_bytes.h"
#include "support/files.h"

namespace tactus {
namespace {

std::string in_utf16(std::u16string_view text, bool high_byte_first) {
  std::string bytes;
  for (const char16_t unit : text) {
    const auto low = static_cast<char>(unit & 0xFF);
    const auto high = static_cast<char>(unit >> 8);
    bytes += high_byte_first ? high : low;
    bytes += high_byte_first ? low : high;
  }
  return bytes;
}

struct Read {
  std::string text;
  bool cut_short = false;
};

Read read(const std::string& bytes) {
  const testing::TemporaryFolder folder;
  Result<std::unique_ptr<InputBytes>> input = InputBytes::open(folder.write("input.txt", bytes));
  EXPECT_TRUE(input);
  const Result<std::string> text = read_all(**input, 1 << 20);
  EXPECT_TRUE(text);
  return {*text, (*input)->cut_short()};
}

constexpr std::string_view kMark = "\xEF\xBB\xBF";

TEST(Utf16Bytes, become_utf8_in_both_orders) {
  const std::u16string_view text = u"\uFEFFTime \u03BCs \U0001F600\n";
  const std::string expected = std::string(kMark) + "Time \u03BCs \U0001F600\n";
  for (const bool high_byte_first : {false, true}) {
    const Read got = read(in_utf16(text, high_byte_first));
    EXPECT_EQ(got.text, expected);
    EXPECT_FALSE(got.cut_short);
  }
}

TEST(Utf16Bytes, that_are_not_characters_are_replaced) {
  const char16_t text[] = {0xFEFF, u'a', 0xD800, u'b', 0xDC00, u'c', 0};
  EXPECT_EQ(read(in_utf16(text, false)).text, std::string(kMark) + "a\uFFFDb\uFFFDc");
}

TEST(Utf16Bytes, that_end_inside_a_character_are_cut_short) {
  const Read got = read(in_utf16(u"\uFEFFab", false) + "c");
  EXPECT_EQ(got.text, std::string(kMark) + "ab");
  EXPECT_TRUE(got.cut_short);
}

}  // namespace
}  // namespace tactus
