#include "catalogue/embedded_operators.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/paths.h"

namespace tactus {
namespace {

TEST(EmbeddedOperators, are_the_file_byte_for_byte) {
  std::ifstream file(TACTUS_ROOT "/data/operators.json", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_FALSE(text.str().empty());
  EXPECT_TRUE(embedded_operators_json() == text.str());
}

TEST(EmbeddedOperators, end_with_a_zero_that_is_not_counted) {
  const std::string_view text = embedded_operators_json();
  EXPECT_EQ(text.data()[text.size()], '\0');
  EXPECT_NE(text.back(), '\0');
}

}  // namespace
}  // namespace tactus
