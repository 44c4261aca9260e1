#include "catalogue/published_table.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(PublishedTable, gives_the_operators_that_a_text_names) {
  const auto table = read_published_table(
      "Some words.\n| Operator | dtype | Shapes | Importance |\n|---|---|---|---|\n"
      "unified_attention atrex_030 | bf16 | 25 | 39.5% |\n"
      "| rms_norm atrex_027 | bf16 | 56 | 2.8% |\r\n"
      "silu_and_mul atrex_028 | bf16 | 30 | 1.8% |\n");
  ASSERT_TRUE(table);
  ASSERT_EQ(table->catalogue.operators.size(), 3U);
  EXPECT_EQ(table->catalogue.operators[1].name, "rms_norm");
  ASSERT_EQ(table->differences.size(), 1U);
  EXPECT_EQ(table->differences[0], "silu_and_mul: the text says 30 shapes, the catalogue has 37");
}

TEST(PublishedTable, is_not_any_text_with_bars) {
  EXPECT_FALSE(read_published_table(""));
  EXPECT_FALSE(read_published_table("a b | c | 1 | 2%\n"));
  EXPECT_FALSE(read_published_table("rms_norm atrex_027 | bf16 | 56 | 2.8%\n"));
}

}  // namespace
}  // namespace tactus
