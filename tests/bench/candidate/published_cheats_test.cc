// Kernels that pass the published benchmark although they are wrong, and some that fail although
// they are right.
#include <gtest/gtest.h>

#include "bench/measured.h"

namespace tactus::testing {
namespace {

BenchRow cheat(const std::string& operator_name, const Sizes& sizes) {
  return measured(test_candidate("published_cheats"), operator_name, sizes);
}

BenchRow honest(const std::string& operator_name, const Sizes& sizes) {
  return measured(test_candidate("honest_variants"), operator_name, sizes, only_checked());
}

/// Wrong by its numbers, and not by a few.
void expect_caught(const BenchRow& row) {
  EXPECT_EQ(bench_status_name(row.status), "wrong") << row.reason;
  EXPECT_NE(row.reason.find("should be"), std::string::npos) << row.reason;
  EXPECT_GT(10 * row.mismatch, row.checked) << row.reason;
}

void expect_right(const BenchRow& row) {
  EXPECT_EQ(bench_status_name(row.status), "ok") << row.reason;
  EXPECT_EQ(row.mismatch, 0);
}

TEST(PublishedCheats, linear_sigmoid_mul_without_its_product_is_caught) {
  expect_caught(cheat("linear_sigmoid_mul", {{"tokens", 16}, {"hidden", 512}, {"out", 256}}));
}

TEST(PublishedCheats, causal_conv1d_that_ignores_its_input_is_caught) {
  expect_caught(cheat("causal_conv1d", {{"tokens", 128}, {"channels", 64}, {"width", 4}}));
}

TEST(PublishedCheats, fused_moe_with_two_of_eight_experts_is_caught) {
  expect_caught(
      cheat("fused_moe",
            {{"tokens", 8}, {"hidden", 256}, {"intermediate", 64}, {"experts", 16}, {"top_k", 8}}));
}

TEST(PublishedCheats, zeros_for_gated_delta_rule_update_are_caught) {
  expect_caught(cheat("gated_delta_rule_update", {{"batch", 1},
                                                  {"tokens", 4},
                                                  {"q_heads", 2},
                                                  {"v_heads", 4},
                                                  {"key_dim", 64},
                                                  {"value_dim", 64},
                                                  {"states", 2}}));
}

TEST(PublishedCheats, zeros_for_chunk_delta_rule_output_are_caught) {
  expect_caught(cheat("chunk_delta_rule_output", {{"batch", 1},
                                                  {"tokens", 128},
                                                  {"q_heads", 2},
                                                  {"v_heads", 4},
                                                  {"key_dim", 64},
                                                  {"value_dim", 64},
                                                  {"chunk", 64}}));
}

TEST(PublishedCheats, fused_qkv_rope_that_turns_nothing_is_caught) {
  expect_caught(
      cheat("fused_qkv_rope",
            {{"tokens", 32}, {"heads", 4}, {"kv_heads", 1}, {"head_dim", 64}, {"rope_dim", 64}}));
}

TEST(HonestVariants, another_order_of_summation_is_right) {
  expect_right(honest("linear_sigmoid_mul", {{"tokens", 16}, {"hidden", 2048}, {"out", 256}}));
  expect_right(honest("fused_rmsnorm_quant", {{"tokens", 64}, {"hidden", 4096}}));
}

TEST(HonestVariants, quotients_are_as_right_as_reciprocals) {
  expect_right(honest("fp8_dynamic_per_token_quant", {{"tokens", 64}, {"hidden", 4096}}));
}

}  // namespace
}  // namespace tactus::testing
