#include "run/args/arg_json.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

std::string json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(ArgJson, every_byte_is_escaped_as_it_must_be_at_every_place) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string alone = json(std::string(1, c));
    ASSERT_GE(alone.size(), 3u);
    const std::string escaped = alone.substr(1, alone.size() - 2);
    const bool is_plain = byte >= 0x20 && c != '"' && c != '\\';
    EXPECT_EQ(escaped.size() == 1, is_plain) << byte;
    for (std::size_t place = 0; place < 20; ++place) {
      const std::string before(place, 'a');
      const std::string behind(20 - place, '\x80');
      EXPECT_EQ(json(before + c + behind), '"' + before + escaped + behind + '"') << byte;
    }
  }
}

}  // namespace
}  // namespace tactus
