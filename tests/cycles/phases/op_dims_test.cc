#include "cycles/phases/op_dims.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(OpDims, are_one_list_of_sizes_per_input) {
  EXPECT_EQ(parse_op_dims("[[32,1,4096],[4096,4096],[]]"),
            (OpDims{{32, 1, 4096}, {4096, 4096}, {}}));
  EXPECT_EQ(parse_op_dims("[[ 20, 64 ], []]"), (OpDims{{20, 64}, {}}));
  EXPECT_EQ(parse_op_dims("[]"), OpDims());
}

TEST(OpDims, of_a_list_of_tensors_have_no_sizes) {
  EXPECT_EQ(parse_op_dims("[[[2,3],[2,3]],[]]"), (OpDims{{}, {}}));
}

TEST(OpDims, of_other_texts_are_empty) {
  for (const char* text :
       {"", "]", "64", "[64]", "[[99999999999999999999]]", "[[9999999999999]]"}) {
    EXPECT_TRUE(parse_op_dims(text).empty()) << text;
  }
}

void expect_product(const char* dims, std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  const std::optional<Product> product = product_of(parse_op_dims(dims));
  ASSERT_TRUE(product) << dims;
  EXPECT_EQ(product->rows, rows) << dims;
  EXPECT_EQ(product->inner, inner) << dims;
  EXPECT_EQ(product->columns, columns) << dims;
}

TEST(ProductOf, has_a_row_per_token) {
  expect_product("[[20,4096],[4096,128000]]", 20, 4096, 128000);
  expect_product("[[4,5,4096],[11008,4096],[]]", 20, 4096, 11008);            // aten::linear
  expect_product("[[11008],[20,4096],[4096,11008],[],[]]", 20, 4096, 11008);  // aten::addmm
}

TEST(ProductOf, is_nothing_for_products_without_weights) {
  for (const char* dims : {"[[32,20,128],[32,128,20]]", "[[20,4096],[4000,4000]]", "[[20,4096]]",
                           "[]", "[[0,4096],[4096,64]]", "[[20,4096],[]]"}) {
    EXPECT_FALSE(product_of(parse_op_dims(dims))) << dims;
  }
}

void expect_attention(std::string_view op, const char* dims, std::int64_t sequences,
                      std::int64_t queries, std::int64_t keys) {
  const std::optional<AttentionShape> shape = attention_of(op, parse_op_dims(dims));
  ASSERT_TRUE(shape) << dims;
  EXPECT_EQ(shape->sequences, sequences) << dims;
  EXPECT_EQ(shape->queries, queries) << dims;
  EXPECT_EQ(shape->keys, keys) << dims;
}

TEST(AttentionOf, knows_where_an_op_has_its_heads) {
  expect_attention("aten::scaled_dot_product_attention",
                   "[[4,32,1,128],[4,8,900,128],[4,8,900,128]]", 4, 4, 3600);
  expect_attention("flash_attn::_flash_attn_forward", "[[4,1,32,128],[4,900,8,128],[4,900,8,128]]",
                   4, 4, 3600);
}

TEST(AttentionOf, counts_packed_sequences_by_their_ends) {
  expect_attention("flash_attn::_flash_attn_varlen_forward",
                   "[[20,32,128],[5000,8,128],[5000,8,128],[],[21],[21]]", 20, 20, 5000);
  expect_attention("flash_attn::_flash_attn_varlen_forward",
                   "[[700,32,128],[700,8,128],[700,8,128],[4],[4]]", 3, 700, 700);
}

TEST(AttentionOf, packed_sequences_without_ends_are_one) {
  expect_attention("custom::attention", "[[20,32,128],[5000,8,128],[5000,8,128]]", 1, 20, 5000);
  expect_attention("custom::paged", "[[20,32,128],[400,16,8,128],[400,16,8,128]]", 1, 20, 0);
}

TEST(AttentionOf, of_an_op_that_gets_the_new_keys_only_does_not_know_the_context) {
  expect_attention("vllm::unified_attention_with_output",
                   "[[32,64,64],[32,8,64],[32,8,64],[32,64,64],[],[],[],[0]]", 1, 32, 0);
}

TEST(AttentionOf, counts_sequences_that_are_packed_as_one_by_their_ends) {
  expect_attention("xformers_flash::flash_fwd",
                   "[[1,20,32,128],[1,5000,8,128],[1,5000,8,128],[9],[9]]", 8, 20, 5000);
}

TEST(AttentionOf, tells_lengths_from_ends_by_the_table_of_pages) {
  expect_attention("_C::paged_attention_v1",
                   "[[8,32,128],[8,32,128],[900,8,16,16,8],[900,8,128,16],[],[],[8,64],[8]]", 8, 8,
                   0);
  expect_attention("custom::paged", "[[64,32,128],[900,16,8,128],[900,16,8,128],[8],[8,64]]", 8, 64,
                   0);
}

TEST(AttentionOf, is_nothing_for_other_shapes) {
  EXPECT_FALSE(attention_of("aten::mm", parse_op_dims("[[20,4096],[4096,64]]")));
  EXPECT_FALSE(attention_of("aten::addmm", parse_op_dims("[[64],[20,4096],[4096,64]]")));
}

}  // namespace
}  // namespace tactus
