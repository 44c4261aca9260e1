// The strict model: what any kernel has to move and to compute.
#include <gtest/gtest.h>

#include <set>

#include "bounds/costs/hand_made_shape.h"

namespace tactus {
namespace {

using testing::flops_on;
using testing::shape_of;
using testing::Values;

Cost strict(std::string_view name, const Shape& shape) {
  Result<Cost> cost = cost_of(name, shape, CostModel::kStrict);
  EXPECT_TRUE(cost) << cost.error().message;
  return cost ? *cost : Cost{};
}

Cost strict(std::string_view name, const Values& values, NumberType dtype = NumberType::kBf16) {
  return strict(name, shape_of(values, dtype));
}

TEST(StrictCosts, attention_multiplies_on_matrix_units_and_weighs_on_vector_units) {
  Shape shape = shape_of({{"heads", 4}, {"kv_heads", 2}, {"head_dim", 8}, {"block_size", 4}});
  shape.parameters.sequences = {{5, 1}, {3, 2}};
  const Cost cost = strict("unified_attention", shape);
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 4 * 4 * 8 * 27);
  // Maximum, subtraction and exp of 27 scores a head; one factor an output.
  EXPECT_EQ(flops_on(cost, Engine::kVector), 3 * 4 * 27 + 11 * 4 * 8);
}

TEST(StrictCosts, paged_attention_reads_the_tokens_there_are) {
  const Cost cost = strict("paged_attention_decode", {{"sequences", 2},
                                                      {"context", 5},
                                                      {"heads", 4},
                                                      {"kv_heads", 2},
                                                      {"head_dim", 8},
                                                      {"block_size", 4}});
  EXPECT_EQ(cost.read_bytes, 2 * 2 * 4 * 8 + 4 * (2 * 5) * 2 * 8 + 4 * 2 * 2 + 4 * 2);
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 2 * 4 * 4 * 8 * 5);
}

TEST(StrictCosts, latent_attention_is_two_products) {
  const Cost cost =
      strict("mla_decode_attention",
             {{"batch", 2}, {"heads", 3}, {"context", 4}, {"latent", 6}, {"rope_dim", 2}});
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 2 * 3 * 2 * 4 * (8 + 6));
}

TEST(StrictCosts, scales_are_applied_by_the_vector_units) {
  const Cost cost =
      strict("block_scaled_mm", {{"m", 3}, {"n", 4}, {"k", 8}, {"group_n", 2}, {"group_k", 4}},
             NumberType::kFp8E4m3);
  ASSERT_EQ(cost.work.size(), 2U);
  EXPECT_EQ(cost.work[0].type, NumberType::kFp8E4m3);
  EXPECT_EQ(cost.work[0].flops, 2 * 3 * 4 * 8);
  EXPECT_EQ(cost.work[1].type, NumberType::kFp32);
  EXPECT_EQ(cost.work[1].flops, 3 * 4 * (2 * 2 - 1));
}

TEST(StrictCosts, chunks_count_the_causal_half_without_padding) {
  const Cost cost = strict("chunk_delta_rule_output", {{"batch", 1},
                                                       {"tokens", 5},
                                                       {"chunk", 4},
                                                       {"q_heads", 1},
                                                       {"v_heads", 2},
                                                       {"key_dim", 3},
                                                       {"value_dim", 2}});
  // A chunk of 4 and one of 1: 10 + 1 pairs. Both heads of v use the scores of one head of q.
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 2 * 5 * 2 * 6 + 2 * 11 * (1 * 3 + 2 * 2));
}

TEST(StrictCosts, the_delta_rule_touches_the_states_of_its_batch) {
  const Cost cost = strict("gated_delta_rule_update", {{"batch", 1},
                                                       {"tokens", 2},
                                                       {"q_heads", 1},
                                                       {"v_heads", 2},
                                                       {"key_dim", 3},
                                                       {"value_dim", 2},
                                                       {"states", 9}});
  const double state = 4 * 2 * 3 * 2;
  EXPECT_EQ(cost.write_bytes, 2 * 2 * 2 * 2 + state);
  EXPECT_EQ(cost.read_bytes, 6 * 2 + 4 * 2 * 2 + 4 * 2 * 3 + 2 * 2 * 2 * 2 + state + 4);
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 2 * 2 * 6 * 6);
  EXPECT_EQ(cost.work[0].operand_bits, 20);
}

TEST(StrictCosts, the_second_product_of_fp8_experts_is_not_one_of_fp8) {
  const Cost cost =
      strict("fp8_blockscale_fused_moe",
             {{"tokens", 2}, {"top_k", 2}, {"experts", 4}, {"hidden", 128}, {"intermediate", 256}},
             NumberType::kFp8E4m3);
  ASSERT_EQ(cost.work.size(), 3U);
  EXPECT_EQ(cost.work[0].flops, 4.0 * 128 * 256 * 4);
  EXPECT_EQ(cost.work[0].operand_bits, 0);
  EXPECT_EQ(cost.work[1].flops, 2.0 * 128 * 256 * 4);
  EXPECT_EQ(cost.work[1].operand_bits, 8);
}

TEST(StrictCosts, experts_that_nobody_asked_for_are_not_read) {
  Shape shape =
      shape_of({{"tokens", 2}, {"top_k", 2}, {"experts", 4}, {"hidden", 3}, {"intermediate", 5}});
  shape.draw = {{"distinct_pairs", 3}, {"experts_hit", 2}};
  const Cost cost = strict("fused_moe", shape);
  EXPECT_EQ(cost.read_bytes, 2 * 6 + 6 * 2 * 15 + 8 * 4);
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 3 * 6 * 15);
}

TEST(StrictCosts, outputs_of_their_own_are_written_in_full) {
  const Values heads = {
      {"tokens", 2}, {"heads", 3}, {"kv_heads", 1}, {"head_dim", 8}, {"rope_dim", 4}};
  EXPECT_EQ(strict("fused_qkv_rope", heads).read_bytes, 2 * 2 * 5 * 8 + 4 * 2);
  EXPECT_EQ(strict("fused_qkv_rope", heads).write_bytes, 2 * 2 * 5 * 8);
  EXPECT_EQ(strict("fused_qk_rmsnorm", heads).write_bytes, 2 * 2 * 5 * 8);
  // One sine and one cosine for each of 2 frequencies.
  EXPECT_EQ(strict("mrope", heads).read_bytes, 2 * 2 * 4 * 8 + 2 * 8 * 2);
  EXPECT_EQ(strict("mrope", heads).write_bytes, 2 * 2 * 4 * 8);

  const Cost filtered =
      strict("topk_filter", {{"tokens", 3}, {"vocabulary", 4}, {"top_k", 1}}, NumberType::kFp32);
  EXPECT_EQ(filtered.read_bytes, 4 * 12);
  EXPECT_EQ(filtered.write_bytes, 4 * 12);
}

TEST(StrictCosts, what_is_changed_in_place_is_written_where_it_changes) {
  const Cost cached = strict("reshape_and_cache",
                             {{"tokens", 3}, {"heads", 2}, {"head_dim", 4}, {"block_size", 4}});
  EXPECT_EQ(cached.read_bytes, 4 * 3 * 8 + 8 * 3);
  EXPECT_EQ(cached.write_bytes, 4 * 3 * 8);
  Shape padded = shape_of({{"tokens", 3}, {"heads", 2}, {"head_dim", 4}, {"block_size", 4}});
  padded.draw = {{"stored", 2}};
  EXPECT_EQ(strict("reshape_and_cache", padded).read_bytes, 4 * 2 * 8 + 8 * 3);
  EXPECT_EQ(strict("reshape_and_cache", padded).write_bytes, 4 * 2 * 8);
  const Values turned = {{"tokens", 2}, {"heads", 3}, {"rope_dim", 4}};
  EXPECT_EQ(strict("rope", turned).write_bytes, 2 * 24);
}

TEST(StrictCosts, latent_attention_may_have_no_rope_part) {
  const Cost cost =
      strict("mla_decode_attention",
             {{"batch", 1}, {"heads", 1}, {"context", 2}, {"latent", 3}, {"rope_dim", 0}});
  EXPECT_EQ(flops_on(cost, Engine::kTensor), 2 * 2 * (3 + 3));
}

/// The catalogue's own shapes by both models.
class BothModels : public ::testing::Test {
 protected:
  struct Both {
    Cost published, strict;
    double byte_ratio() const { return published.bytes() / strict.bytes(); }
  };

  Both both(std::string_view operator_name, std::string_view shape_id) {
    const Result<const Operator*> op = find_operator(catalogue_, operator_name);
    const Result<const Shape*> shape = find_shape(**op, shape_id);
    return {*cost_of(operator_name, **shape, CostModel::kCatalogue),
            *cost_of(operator_name, **shape, CostModel::kStrict)};
  }

  Catalogue catalogue_ = built_in_catalogue();
};

TEST_F(BothModels, a_cache_written_in_place_moves_less) {
  EXPECT_NEAR(both("reshape_and_cache", "0").byte_ratio(), 16.5, 0.05);
  for (const std::string_view id : {"1", "2", "3", "4", "5", "6", "7"}) {
    EXPECT_NEAR(both("reshape_and_cache", id).byte_ratio(), 1.5, 0.1) << id;
  }
}

TEST_F(BothModels, spare_pages_are_not_read) {
  for (const std::string_view id : {"1", "5"}) {
    EXPECT_NEAR(both("paged_attention_decode", id).byte_ratio(), 2.9, 0.05) << id;
  }
  for (const std::string_view id : {"3", "4", "6", "7"}) {
    EXPECT_NEAR(both("paged_attention_decode", id).byte_ratio(), 1.5, 0.05) << id;
  }
}

TEST_F(BothModels, states_of_others_are_left_alone) {
  for (const std::string_view id : {"0", "8", "9"}) {
    EXPECT_NEAR(both("gated_delta_rule_update", id).byte_ratio(), 2.0, 0.05) << id;
  }
}

TEST_F(BothModels, a_long_sequence_hides_the_states_of_others) {
  for (const Shape& shape : (*find_operator(catalogue_, "gated_delta_rule_update"))->shapes) {
    const std::int64_t tokens = shape.parameters.find("tokens").value_or(0);
    const double ratio = both("gated_delta_rule_update", shape.id).byte_ratio();
    if (tokens == 128) {
      EXPECT_NEAR(ratio, 1.6, 0.05) << shape.id;
    }
    if (tokens > 4096) {
      EXPECT_LT(ratio, 1.05) << shape.id;
    }
  }
}

TEST_F(BothModels, latent_attention_was_a_quarter_too_much) {
  for (const std::string_view id : {"0", "1", "2"}) {
    const Both costs = both("mla_decode_attention", id);
    EXPECT_NEAR(costs.published.flops() / flops_on(costs.strict, Engine::kTensor), 1.27, 0.005);
  }
}

TEST_F(BothModels, chunks_are_half_empty_above_the_diagonal) {
  // 1.34 for the causal half alone, and scores are shared by two heads.
  const Both costs = both("chunk_delta_rule_output", "0");
  const double ratio = costs.published.flops() / flops_on(costs.strict, Engine::kTensor);
  EXPECT_GT(ratio, 1.33);
  EXPECT_LT(ratio, 1.5);
}

TEST_F(BothModels, strict_never_moves_more) {
  for (const Operator& op : catalogue_.operators) {
    for (const Shape& shape : op.shapes) {
      const Both costs = both(op.name, shape.id);
      EXPECT_LE(costs.strict.read_bytes, costs.published.read_bytes) << op.name << shape.id;
      EXPECT_LE(costs.strict.write_bytes, costs.published.write_bytes) << op.name << shape.id;
      EXPECT_GT(costs.strict.bytes(), 0) << op.name << shape.id;
    }
  }
}

TEST_F(BothModels, only_products_go_to_the_matrix_units) {
  std::set<std::string_view> products;
  for (const Operator& op : catalogue_.operators) {
    for (const Shape& shape : op.shapes) {
      const Cost cost = both(op.name, shape.id).strict;
      if (flops_on(cost, Engine::kTensor) > 0) products.insert(op.name);
      for (const Work& work : cost.work) {
        EXPECT_EQ(work.type,
                  work.engine == Engine::kVector ? NumberType::kFp32 : shape.parameters.dtype)
            << op.name << "/" << shape.id;
      }
    }
  }
  const std::set<std::string_view> expected = {"attention_forward",
                                               "block_scaled_mm",
                                               "causal_conv1d",
                                               "chunk_delta_rule_output",
                                               "chunk_gated_delta_rule_state",
                                               "fp8_blockscale_fused_moe",
                                               "fused_moe",
                                               "gated_delta_rule_update",
                                               "linear_sigmoid_mul",
                                               "mla_decode_attention",
                                               "paged_attention_decode",
                                               "unified_attention"};
  EXPECT_EQ(products, expected);
}

}  // namespace
}  // namespace tactus
