#include "page/packed_text.h"

#include <gtest/gtest.h>

#include <random>

#include "page/packed_reader.h"

namespace tactus::page {
namespace {

using testing::unpacked;

TEST(PackedText, keeps_bytes_of_every_length) {
  std::mt19937 random(7);
  for (std::size_t size = 0; size < 300; ++size) {
    for (const int kind : {0, 1, 2}) {
      std::string bytes(size, kind == 0 ? '\0' : '\xff');
      if (kind == 2) {
        for (char& c : bytes) c = static_cast<char>(random());
      }
      EXPECT_EQ(unpacked(packed_text(bytes), size), bytes) << size;
    }
  }
}

TEST(PackedText, is_dense_and_can_stand_in_a_script_element) {
  std::mt19937 random(7);
  std::string bytes(100'000, ' ');
  for (char& c : bytes) c = static_cast<char>(random());
  const std::string text = packed_text(bytes);
  EXPECT_LT(text.size(), 123'000u);
  for (const char c : text) ASSERT_TRUE(c > ' ' && c <= '~' && c != '<') << c;
}

}  // namespace
}  // namespace tactus::page
