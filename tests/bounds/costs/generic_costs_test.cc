#include <gtest/gtest.h>

#include "bounds/costs/hand_made_shape.h"

namespace tactus {
namespace {

using testing::flops_on;
using testing::shape_of;
using testing::Values;

Cost strict(std::string_view name, const Values& values, NumberType dtype = NumberType::kBf16) {
  Result<Cost> cost = cost_of(name, shape_of(values, dtype), CostModel::kStrict);
  EXPECT_TRUE(cost) << cost.error().message;
  return cost ? *cost : Cost{};
}

TEST(GenericCosts, are_the_same_by_both_models) {
  const Shape shape = shape_of({{"rows", 7}, {"columns", 9}});
  const Result<Cost> a = cost_of("softmax", shape, CostModel::kStrict);
  const Result<Cost> b = cost_of("softmax", shape, CostModel::kCatalogue);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->flops(), b->flops());
  EXPECT_EQ(a->bytes(), b->bytes());
}

TEST(GenericCosts, gemm_reads_both_matrices_and_writes_one) {
  const Cost cost = strict("gemm", {{"m", 3}, {"n", 5}, {"k", 7}});
  ASSERT_EQ(cost.work.size(), 1U);
  EXPECT_EQ(cost.work[0].engine, Engine::kTensor);
  EXPECT_EQ(cost.work[0].type, NumberType::kBf16);
  EXPECT_EQ(cost.flops(), 2 * 3 * 5 * 7);
  EXPECT_EQ(cost.read_bytes, 2 * (3 * 7 + 7 * 5));
  EXPECT_EQ(cost.write_bytes, 2 * 3 * 5);
}

TEST(GenericCosts, gemm_takes_a_batch_a_bias_and_another_type_of_result) {
  const Cost cost =
      strict("gemm", {{"m", 3}, {"n", 5}, {"k", 7}, {"batch", 2}, {"bias", 1}, {"out_bytes", 4}},
             NumberType::kFp8E4m3);
  EXPECT_EQ(cost.flops(), 2 * 2 * 3 * 5 * 7);
  EXPECT_EQ(cost.read_bytes, 2 * (3 * 7 + 7 * 5) + 5);
  EXPECT_EQ(cost.write_bytes, 4 * 2 * 3 * 5);
}

TEST(GenericCosts, gemm_in_fp32_is_granted_the_matrix_units) {
  const Cost cost = strict("gemm", {{"m", 3}, {"n", 5}, {"k", 7}}, NumberType::kFp32);
  ASSERT_EQ(cost.work.size(), 1U);
  EXPECT_EQ(cost.work[0].engine, Engine::kTensor);
  EXPECT_EQ(cost.work[0].type, NumberType::kTf32);
  EXPECT_EQ(cost.read_bytes, 4 * (3 * 7 + 7 * 5));
}

TEST(GenericCosts, gemm_of_wide_integers_counts_its_bytes_only) {
  const Cost cost = strict("gemm", {{"m", 3}, {"n", 5}, {"k", 7}}, NumberType::kInt32);
  EXPECT_TRUE(cost.work.empty());
  EXPECT_GT(cost.bytes(), 0);
}

TEST(GenericCosts, gemm_over_nothing_writes_zeros) {
  const Cost cost = strict("gemm", {{"m", 3}, {"n", 5}, {"k", 0}});
  EXPECT_EQ(cost.flops(), 0);
  EXPECT_EQ(cost.read_bytes, 0);
  EXPECT_EQ(cost.write_bytes, 2 * 3 * 5);
  EXPECT_EQ(strict("gemm", {{"m", 0}, {"n", 5}, {"k", 7}}).bytes(), 0);
}

TEST(GenericCosts, attention_counts_every_pair) {
  const Cost cost = strict(
      "attention",
      {{"batch", 2}, {"heads", 4}, {"kv_heads", 2}, {"head_dim", 8}, {"q_len", 3}, {"kv_len", 5}});
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 4 * 2 * 4 * 8 * (3 * 5));
  EXPECT_EQ(cost.read_bytes, 2 * 2 * (4 * 3 * 8 + 2 * 5 * (8 + 8)));
  EXPECT_EQ(cost.write_bytes, 2 * 2 * 4 * 3 * 8);
}

TEST(GenericCosts, causal_attention_ends_at_the_last_key) {
  const Values common = {{"heads", 1}, {"head_dim", 1}, {"causal", 1}};
  const auto pairs = [&](std::int64_t queries, std::int64_t keys) {
    Values values = common;
    values.emplace_back("q_len", queries);
    values.emplace_back("kv_len", keys);
    return flops_on(strict("attention", values), Engine::kTensor) / 4;
  };
  EXPECT_EQ(pairs(4, 4), 1 + 2 + 3 + 4);
  EXPECT_EQ(pairs(3, 5), 3 + 4 + 5);
  EXPECT_EQ(pairs(1, 9), 9);
  EXPECT_EQ(pairs(5, 2), 1 + 2);  // three queries come before the first key
}

TEST(GenericCosts, attention_takes_values_of_another_width) {
  const Cost cost =
      strict("attention",
             {{"heads", 1}, {"head_dim", 192}, {"head_dim_v", 128}, {"q_len", 2}, {"kv_len", 3}});
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 2 * 6 * (192 + 128));
  EXPECT_EQ(cost.write_bytes, 2 * 2 * 128);
}

TEST(GenericCosts, attention_without_keys_only_writes) {
  const Cost cost =
      strict("attention", {{"heads", 1}, {"head_dim", 8}, {"q_len", 2}, {"kv_len", 0}});
  EXPECT_EQ(cost.flops(), 0);
  EXPECT_EQ(cost.read_bytes, 0);
  EXPECT_EQ(cost.write_bytes, 2 * 2 * 8);
}

TEST(GenericCosts, elementwise_copy_cat_fill_and_reduce_move_the_bytes_given) {
  const Cost added = strict("elementwise", {{"read_bytes", 12}, {"write_bytes", 6}, {"flops", 3}});
  EXPECT_EQ(flops_on(added, Engine::kVector), 3);
  EXPECT_EQ(added.work[0].type, NumberType::kFp32);
  EXPECT_EQ(added.read_bytes, 12);
  EXPECT_EQ(added.write_bytes, 6);

  EXPECT_EQ(strict("copy", {{"read_bytes", 8}}).bytes(), 16);
  EXPECT_EQ(strict("copy", {{"read_bytes", 8}, {"write_bytes", 4}}).bytes(), 12);
  EXPECT_EQ(strict("cat", {{"read_bytes", 8}}).bytes(), 16);
  EXPECT_EQ(strict("fill", {{"write_bytes", 8}}).bytes(), 8);

  const Cost sum = strict("reduce", {{"read_bytes", 200}, {"write_bytes", 2}, {"elements", 100}});
  EXPECT_EQ(flops_on(sum, Engine::kVector), 100);
  EXPECT_EQ(sum.bytes(), 202);
}

TEST(GenericCosts, zero_bytes_are_a_cost_of_zero) {
  EXPECT_EQ(strict("copy", {{"read_bytes", 0}}).bytes(), 0);
  EXPECT_EQ(strict("softmax", {{"rows", 0}, {"columns", 5}}).bytes(), 0);
  EXPECT_EQ(strict("gather", {{"rows", 0}, {"columns", 5}}).bytes(), 0);
}

TEST(GenericCosts, gather_reads_only_what_must_differ) {
  EXPECT_EQ(strict("gather", {{"rows", 10}, {"columns", 4}}).read_bytes, 2 * 4 + 8 * 10);
  const Cost known =
      strict("gather", {{"rows", 10}, {"columns", 4}, {"distinct_rows", 6}, {"index_bytes", 4}});
  EXPECT_EQ(known.read_bytes, 2 * 6 * 4 + 4 * 10);
  EXPECT_EQ(known.write_bytes, 2 * 10 * 4);
}

TEST(GenericCosts, rows_are_read_once) {
  EXPECT_EQ(strict("sampling", {{"rows", 2}, {"columns", 100}}, NumberType::kFp32).bytes(),
            4 * 200 + 8 * 2);
  EXPECT_EQ(strict("softmax", {{"rows", 2}, {"columns", 100}, {"out_bytes", 4}}).bytes(),
            2 * 200 + 4 * 200);
  EXPECT_EQ(strict("norm", {{"rows", 2}, {"columns", 100}}).bytes(), 2 * (200 + 100) + 2 * 200);
  EXPECT_EQ(
      strict("norm", {{"rows", 2}, {"columns", 100}, {"weights", 0}, {"residual", 1}}).bytes(),
      2 * 400 + 2 * 400);
  EXPECT_EQ(
      strict("rope", {{"tokens", 2}, {"heads", 3}, {"rope_dim", 4}, {"table_bytes", 5}}).bytes(),
      2 * 24 + 5 + 2 * 24);
}

TEST(GenericCosts, negative_numbers_are_refused) {
  const Result<Cost> cost =
      cost_of("gemm", shape_of({{"m", 3}, {"n", -5}, {"k", 7}}), CostModel::kStrict);
  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().message,
            "gemm: parameter \"n\" is negative (-5); it takes batch, m, n, k, bias, out_bytes");
}

TEST(GenericCosts, attention_over_pages_reads_keys_in_the_type_of_the_cache) {
  const Cost cost = strict("attention_over_pages", {{"heads", 4},
                                                    {"kv_heads", 2},
                                                    {"head_dim", 8},
                                                    {"head_dim_v", 8},
                                                    {"queries", 3},
                                                    {"keys", 100},
                                                    {"pairs", 90},
                                                    {"kv_bits", 8}});
  EXPECT_EQ(cost.read_bytes, 2 * 4 * 3 * 8 + 2 * 100 * 16);
  EXPECT_EQ(cost.write_bytes, 2 * 4 * 3 * 8);
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 2 * 4 * 90 * 16);
}

TEST(GenericCosts, expert_products_read_one_expert_per_choice) {
  const Cost cost = strict("expert_products", {{"tokens", 5},
                                               {"top_k", 2},
                                               {"token_bytes", 64},
                                               {"expert_elements", 1000},
                                               {"expert_bytes", 500}});
  EXPECT_EQ(cost.read_bytes, 5 * 64 + 2 * 500);
  EXPECT_EQ(cost.write_bytes, 5 * 64);
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 2 * 5 * 2 * 1000);
}

}  // namespace
}  // namespace tactus
