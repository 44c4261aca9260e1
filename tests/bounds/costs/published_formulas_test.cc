// Each published formula on a shape small enough to work out by hand.
#include <gtest/gtest.h>

#include <set>

#include "bounds/costs/hand_made_shape.h"

namespace tactus {
namespace {

using testing::shape_of;
using testing::Values;

struct WorkedOut {
  std::string operator_name;
  NumberType dtype;
  Values values;
  std::vector<SequenceRun> sequences;
  Values draw;
  double flops, read_bytes, write_bytes;
};

void PrintTo(const WorkedOut& row, std::ostream* out) {
  *out << row.operator_name;
}

constexpr NumberType kBf16 = NumberType::kBf16;
constexpr NumberType kFp16 = NumberType::kFp16;
constexpr NumberType kFp32 = NumberType::kFp32;
constexpr NumberType kFp8 = NumberType::kFp8E4m3;
constexpr NumberType kInt32 = NumberType::kInt32;

const Values k3x4 = {{"tokens", 3}, {"hidden", 4}};
const Values kHeads = {{"tokens", 2}, {"heads", 3}, {"kv_heads", 1}, {"head_dim", 4}};

Values with(Values values, const Values& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

/// 5 tokens in chunks of 4: two chunks.
const Values kChunks = {{"batch", 1},   {"tokens", 5},  {"chunk", 4},
                        {"v_heads", 2}, {"key_dim", 3}, {"value_dim", 2}};

std::vector<WorkedOut> worked_out() {
  return {
      // 7 tokens: 3, 2 and 2
      {"attention_forward",
       kBf16,
       {{"heads", 2}, {"head_dim", 8}},
       {{3, 1}, {2, 2}},
       {},
       4 * 2 * 8 * (9 + 4 + 4),
       3 * 2 * 7 * 16 + 8 * (3 + 1),
       2 * 7 * 16},
      {"block_scaled_mm",
       kFp8,
       {{"m", 3}, {"n", 4}, {"k", 8}, {"group_n", 2}, {"group_k", 4}},
       {},
       {},
       2 * 3 * 4 * 8 + 3 * 4 * (3 * 2 - 1),
       3 * 8 + 4 * 8 + 4 * 3 * 2 + 4 * 2 * 2,
       4 * 3 * 4},
      {"causal_conv1d",
       kBf16,
       {{"channels", 5}, {"tokens", 7}, {"width", 4}},
       {},
       {},
       5 * 7 * (2 * 4 + 4),
       2 * 5 * (7 + 4 + 1 + 3),
       2 * 5 * 7},
      {"chunk_delta_rule_output",
       kBf16,
       with(kChunks, {{"q_heads", 1}}),
       {},
       {},
       2 * 2 * (2 * 4 * 6 + 2 * 16 * 3 + 2 * 16 * 2 + 3 * 4 * 2 + 2 * 16),
       4 * 5 * 1 * 3 + 2 * 5 * 2 * 2 + 2 * 2 * 2 * 6 + 4 * 5 * 2,
       2 * 5 * 2 * 2},
      // one of the 7 states is in use
      {"chunk_gated_delta_rule_state",
       kBf16,
       with(kChunks, {{"k_heads", 1}, {"states", 7}}),
       {},
       {},
       2 * (5 * (4 * 6 + 2 * 2 + 1) + 2 * 2 * 6),
       2 * 5 * (1 * 3 + 2 * 3 + 2 * 2) + 4 * 5 * 2 + 4 * 2 * 6 + 4,
       2 * 2 * 2 * 6 + 2 * 5 * 2 * 2 + 4 * 2 * 6},
      // one token hits 2 of 4 experts
      {"fp8_blockscale_fused_moe",
       kFp8,
       {{"tokens", 1}, {"top_k", 2}, {"experts", 4}, {"hidden", 128}, {"intermediate", 128}},
       {},
       {},
       2 * (6 * 128 * 128 + 5 * 128 + 2 * 128) + 3 * 2 * 128 * 128,
       128 + 4 * 1 + 8 * 2 + 2 * (3 * 128 * 128 + 4 * (2 * 1 + 1 * 1)),
       128},
      {"fp8_dynamic_per_token_quant", kFp8, k3x4, {}, {}, 12 + 3, 2 * 12, 12 + 4 * 3},
      {"fused_add_rms_norm", kBf16, k3x4, {}, {}, 4 * 12 + 3, 4 * 12 + 2 * 4, 4 * 12},
      // 4 (1 - (1 - 2/4)^2) = 3 experts are read, whatever the draw was
      {"fused_moe",
       kBf16,
       {{"tokens", 2}, {"top_k", 2}, {"experts", 4}, {"hidden", 3}, {"intermediate", 5}},
       {},
       {{"distinct_pairs", 3}, {"experts_hit", 2}},
       3 * (6 * 15 + 5 * 5 + 3) + 2 * (2 * 2 * 2 - 2),
       2 * 6 + 6 * 3 * 15 + 8 * 4,
       4 * 6},
      {"fused_qk_rmsnorm",
       kFp16,
       kHeads,
       {},
       {},
       2 * 4 * (3 * 4 + 1),
       2 * 2 * 5 * 4 + 4 * 4,
       2 * 2 * 5 * 4},
      {"fused_qkv_rope",
       kFp16,
       with(kHeads, {{"rope_dim", 4}}),
       {},
       {},
       3 * 2 * 4 * 4 + 2 * (2 + 2),
       2 * 2 * 5 * 4 + 4 * 2,
       2 * 2 * 5 * 4},
      {"fused_rmsnorm_quant", kFp8, k3x4, {}, {}, 5 * 12 + 2 * 3, 4 * 12 + 2 * 4, 3 * 12 + 4 * 3},
      {"gated_delta_rule_update",
       kBf16,
       {{"batch", 1},
        {"tokens", 2},
        {"q_heads", 1},
        {"v_heads", 2},
        {"key_dim", 3},
        {"value_dim", 2},
        {"states", 2}},
       {},
       {},
       2 * 2 * (7 * 6 + 3 * 3 + 2),
       6 * 2 + 4 * 2 * 2 + 4 * 2 * 3 + 2 * 2 * 2 * 2 + 4 * 2 * 2 * 6 + 4,
       2 * 2 * 2 * 2 + 4 * 2 * 2 * 6},
      {"gated_rms_norm",
       kBf16,
       {{"rows", 3}, {"hidden", 4}},
       {},
       {},
       8 * 12 + 3,
       4 * 12 + 2 * 4,
       2 * 12},
      {"l2_norm", kBf16, k3x4, {}, {}, 3 * 12, 2 * 12, 2 * 12},
      {"layer_norm", kBf16, k3x4, {}, {}, 7 * 12, 2 * 12 + 4 * 4, 2 * 12},
      {"linear_sigmoid_mul",
       kBf16,
       {{"tokens", 2}, {"hidden", 3}, {"out", 5}},
       {},
       {},
       2 * 2 * 3 * 5 + 2 * 5,
       2 * (6 + 15 + 5 + 10),
       2 * 10},
      {"mla_decode_attention",
       kBf16,
       {{"batch", 2}, {"heads", 3}, {"context", 4}, {"latent", 6}, {"rope_dim", 2}},
       {},
       {},
       2 * 3 * (2 * 4 * (8 + 6) + 8 + 4 * 8),
       2 * 2 * 3 * 8 + 2 * 2 * 4 * 8 + 4 * 2,
       2 * 2 * 3 * 6},
      {"moe_align_block_size",
       kInt32,
       {{"tokens", 3}, {"top_k", 2}, {"experts", 4}, {"block_size", 4}},
       {},
       {{"blocks", 3}},
       0,
       4 * 6,
       3 * (4 * 4 + 4) + 4},
      {"moe_count_and_sort",
       kInt32,
       {{"tokens", 3}, {"top_k", 2}, {"experts", 4}},
       {},
       {},
       0,
       4 * 6,
       4 * 6 + 4 * 4 + 4 * 5},
      {"moe_sum_reduce",
       kBf16,
       with(k3x4, {{"top_k", 2}}),
       {},
       {},
       3 * 2 * 4,
       2 * 3 * 2 * 4,
       2 * 12},
      {"moe_topk_gating_softmax",
       kFp32,
       {{"tokens", 3}, {"experts", 4}, {"top_k", 2}},
       {},
       {},
       4 * 12 - 3,
       4 * 12,
       8 * 6},
      {"mrope",
       kBf16,
       with(kHeads, {{"rope_dim", 4}}),
       {},
       {},
       3 * 2 * 4 * 4,
       2 * 2 * 4 * 4 + 24 * 2 * 2,
       2 * 2 * 4 * 4},
      // 2 blocks a sequence and 16 spare ones
      {"paged_attention_decode",
       kBf16,
       {{"sequences", 2},
        {"context", 5},
        {"heads", 4},
        {"kv_heads", 2},
        {"head_dim", 8},
        {"block_size", 4}},
       {},
       {},
       2 * (4 * 4 * 8 * 5 + 2 * 5),
       2 * 2 * 4 * 8 + 4 * 20 * 2 * 8 * 4 + 4 * 2 * 2 + 4 * 2,
       2 * 2 * 4 * 8},
      {"per_token_group_quant_fp8",
       kFp8,
       with(k3x4, {{"group_size", 2}}),
       {},
       {},
       12 + 6,
       2 * 12,
       12 + 4 * 6},
      {"reshape_and_cache",
       kBf16,
       {{"tokens", 3}, {"heads", 2}, {"head_dim", 4}, {"block_size", 4}},
       {},
       {},
       0,
       4 * 3 * 8 + 4 * 4 * 8 + 8 * 3,
       4 * 4 * 8},
      {"rms_norm", kBf16, k3x4, {}, {}, 3 * 12 + 3, 2 * 12 + 2 * 4, 2 * 12},
      {"silu_and_mul", kBf16, {{"tokens", 3}, {"width", 4}}, {}, {}, 5 * 6, 2 * 12, 12},
      {"topk_filter",
       kFp32,
       {{"tokens", 3}, {"vocabulary", 4}, {"top_k", 2}},
       {},
       {},
       0,
       4 * 12,
       4 * 12},
      // 11 tokens: 5, 3 and 3, in pages of 4
      {"unified_attention",
       kBf16,
       {{"heads", 4}, {"kv_heads", 2}, {"head_dim", 8}, {"block_size", 4}},
       {{5, 1}, {3, 2}},
       {},
       4 * 4 * 8 * (15 + 6 + 6),
       2 * 11 * 4 * 8 + 4 * 11 * 2 * 8 + 4 * 4 + 4 * 3 + 4 * (2 + 1 + 1),
       2 * 11 * 4 * 8},
  };
}

class PublishedFormula : public ::testing::TestWithParam<WorkedOut> {};

TEST_P(PublishedFormula, gives_what_is_worked_out_by_hand) {
  const WorkedOut& row = GetParam();
  Shape shape = shape_of(row.values, row.dtype);
  shape.parameters.sequences = row.sequences;
  shape.draw = row.draw;
  const Result<Cost> cost = cost_of(row.operator_name, shape, CostModel::kCatalogue);
  ASSERT_TRUE(cost) << cost.error().message;
  EXPECT_EQ(cost->flops(), row.flops);
  EXPECT_EQ(cost->read_bytes, row.read_bytes);
  EXPECT_EQ(cost->write_bytes, row.write_bytes);
}

TEST_P(PublishedFormula, charges_all_work_to_one_precision) {
  const WorkedOut& row = GetParam();
  Shape shape = shape_of(row.values, row.dtype);
  shape.parameters.sequences = row.sequences;
  const Result<Cost> cost = cost_of(row.operator_name, shape, CostModel::kCatalogue);
  ASSERT_TRUE(cost) << cost.error().message;
  if (row.flops == 0) {
    EXPECT_TRUE(cost->work.empty());
    return;
  }
  ASSERT_EQ(cost->work.size(), 1U);
  EXPECT_EQ(cost->work[0].type, row.dtype);
  EXPECT_EQ(cost->work[0].engine, row.dtype == kFp32 ? Engine::kVector : Engine::kTensor);
}

TEST_P(PublishedFormula, costs_nothing_where_there_is_nothing_to_do) {
  const WorkedOut& row = GetParam();
  Values values = row.values;
  for (auto& [name, value] : values) value = 0;
  Shape shape = shape_of(values, row.dtype);
  shape.parameters.sequences = row.sequences;
  for (const CostModel model : {CostModel::kCatalogue, CostModel::kStrict}) {
    const Result<Cost> cost = cost_of(row.operator_name, shape, model);
    ASSERT_TRUE(cost) << cost.error().message;
    EXPECT_EQ(cost->flops(), 0);
    EXPECT_EQ(cost->bytes(), 0);
  }
}

/// Of the two models, one may need a parameter that the other does not look at.
Result<Cost> first_refusal(const WorkedOut& row, const Values& values) {
  Shape shape = shape_of(values, row.dtype);
  shape.parameters.sequences = row.sequences;
  Result<Cost> cost = cost_of(row.operator_name, shape, CostModel::kCatalogue);
  return cost ? cost_of(row.operator_name, shape, CostModel::kStrict) : cost;
}

TEST_P(PublishedFormula, names_the_parameter_that_is_missing) {
  const WorkedOut& row = GetParam();
  for (std::size_t left_out = 0; left_out < row.values.size(); ++left_out) {
    Values values = row.values;
    const std::string name = values[left_out].first;
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(left_out));
    const Result<Cost> cost = first_refusal(row, values);
    ASSERT_FALSE(cost) << name;
    EXPECT_NE(cost.error().message.find("parameter \"" + name + "\" is missing"), std::string::npos)
        << cost.error().message;
  }
}

TEST_P(PublishedFormula, refuses_negative_parameters) {
  const WorkedOut& row = GetParam();
  Values values = row.values;
  values.back().second = -1;
  const Result<Cost> cost = first_refusal(row, values);
  ASSERT_FALSE(cost);
  EXPECT_NE(cost.error().message.find("is negative (-1)"), std::string::npos)
      << cost.error().message;
}

TEST_P(PublishedFormula, counts_huge_shapes_without_overflow) {
  const WorkedOut& row = GetParam();
  Values values = row.values;
  for (auto& [name, value] : values) value = std::numeric_limits<std::int64_t>::max();
  Shape shape = shape_of(values, row.dtype);
  shape.parameters.sequences = row.sequences;
  for (const CostModel model : {CostModel::kCatalogue, CostModel::kStrict}) {
    const Result<Cost> cost = cost_of(row.operator_name, shape, model);
    ASSERT_TRUE(cost) << cost.error().message;
    EXPECT_GT(cost->bytes(), 1e18);
    EXPECT_GE(cost->flops(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Costs, PublishedFormula, ::testing::ValuesIn(worked_out()),
                         [](const auto& row) { return row.param.operator_name; });

TEST(CostFormulas, say_every_operator_in_words_once) {
  std::set<std::string_view> names;
  for (const CostFormula& formula : cost_formulas()) {
    EXPECT_TRUE(names.insert(formula.operator_name).second) << formula.operator_name;
    EXPECT_FALSE(formula.read.empty() && formula.write.empty()) << formula.operator_name;
  }
  for (const WorkedOut& row : worked_out()) EXPECT_TRUE(names.contains(row.operator_name));
  for (const Operator& op : built_in_catalogue().operators) {
    EXPECT_TRUE(names.contains(op.name)) << op.name;
  }
}

TEST(Costs, of_an_unknown_operator_name_the_nearest) {
  const Result<Cost> cost = cost_of("rmsnorm", shape_of({}), CostModel::kStrict);
  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().message, "no operator is called \"rmsnorm\"; did you mean rms_norm?");
}

TEST(Costs, of_a_floating_operator_are_not_counted_in_integers) {
  const Result<Cost> cost = cost_of("rms_norm", shape_of(k3x4, kInt32), CostModel::kStrict);
  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().message, "rms_norm is not computed in int32");
}

TEST(Costs, use_what_routing_comes_to_on_average_where_no_draw_is_recorded) {
  const Shape align =
      shape_of({{"tokens", 1}, {"top_k", 8}, {"experts", 128}, {"block_size", 128}}, kInt32);
  const Result<Cost> few = cost_of("moe_align_block_size", align, CostModel::kCatalogue);
  ASSERT_TRUE(few);
  EXPECT_NEAR((few->write_bytes - 4) / 516, 7.78, 0.005);  // 8 slots, seldom the same expert

  const Shape many =
      shape_of({{"tokens", 8192}, {"top_k", 8}, {"experts", 128}, {"block_size", 128}}, kInt32);
  const Result<Cost> cost = cost_of("moe_align_block_size", many, CostModel::kCatalogue);
  ASSERT_TRUE(cost);
  EXPECT_NEAR((cost->write_bytes - 4) / 516, 574.5, 0.05);

  // Two choices of one expert in four: 2 (1 - (3/4)^2) 4 = 3.5 pairs for two tokens.
  const Shape moe =
      shape_of({{"tokens", 2}, {"top_k", 2}, {"experts", 4}, {"hidden", 3}, {"intermediate", 5}});
  const Result<Cost> strict = cost_of("fused_moe", moe, CostModel::kStrict);
  ASSERT_TRUE(strict);
  EXPECT_DOUBLE_EQ(testing::flops_on(*strict, Engine::kTensor), 6 * 15 * 3.5);
}

}  // namespace
}  // namespace tactus
