// Attention over pages and mixtures of experts, as serving engines call them.
#include <gtest/gtest.h>

#include "bounds/ops/op_shape.h"

namespace tactus {
namespace {

OpCall call_of(std::string_view name, const std::string& dims, const std::string& types,
               const std::string& concrete = "[]") {
  return read_op_call(name, {.dims = dims, .types = types, .strides = {}, .concrete = concrete})
      .value();
}

std::string text_of(const Result<OpShape>& shape) {
  if (!shape) return shape.error().message;
  std::string text =
      shape->operator_name + " " + std::string(number_type_name(shape->parameters.dtype));
  for (const auto& [name, value] : shape->parameters.values) {
    text += " " + name + "=" + std::to_string(value);
  }
  return text + (shape->at_least ? " at least" : "");
}

const std::string kFourHalves =
    R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","c10::BFloat16"])";

/// vLLM's attention of one decode step: 32 sequences, 64 heads of 64, 8 of them with keys.
OpCall decode_attention() {
  OpCall call = call_of("vllm::unified_attention_with_output",
                        "[[32,64,64],[32,8,64],[32,8,64],[32,64,64]]", kFourHalves);
  call.step = parse_step_lengths(
      "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)");
  return call;
}

TEST(PagedAttention, reads_the_keys_that_the_annotation_of_its_step_counts) {
  OpCall call = decode_attention();
  call.inner.push_back(
      call_of("aten::unbind", "[[2,224304,32,8,64],[]]", R"(["c10::BFloat16","Scalar"])"));
  const Result<OpShape> shape = read_op_shape(call, {});
  EXPECT_EQ(text_of(shape),
            "attention_over_pages bf16 heads=64 kv_heads=8 head_dim=64 head_dim_v=64 queries=32 "
            "keys=55086 pairs=55086 kv_bits=16");
  EXPECT_EQ(shape->evidence, ShapeEvidence::kAnnotation);
  ASSERT_EQ(shape->if_faster.size(), 1u);
  EXPECT_EQ(text_of(shape->if_faster[0]),
            "attention_over_pages bf16 heads=64 kv_heads=8 head_dim=64 head_dim_v=64 queries=32 "
            "keys=32 pairs=32 kv_bits=16 at least")
      << "if it has a window";
}

TEST(PagedAttention, has_no_bound_without_an_annotation) {
  OpCall call = decode_attention();
  call.step.reset();
  EXPECT_EQ(text_of(read_op_shape(call, {})), kUnknownLengths);
}

TEST(PagedAttention, counts_one_byte_per_number_if_the_cache_is_not_seen) {
  EXPECT_NE(text_of(read_op_shape(decode_attention(), {})).find("kv_bits=8"), std::string::npos);
}

TEST(PagedAttention, of_prompts_sees_the_causal_half) {
  OpCall call = call_of(
      "aiter::mha_batch_prefill",
      "[[15360,32,128],[835874,8,128],[835874,8,128],[16],[16],[15616],[],[],[],[],[],[],[],[],[]]",
      R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","int","int","int","Scalar","Scalar",
          "Scalar","Scalar","Scalar","Scalar","Scalar","Scalar","Scalar"])",
      R"(["","","","","","","1024","1024","0.","0.08","0.","False","True","-1","-1"])");
  call.step = parse_step_lengths(
      "execute_15360_context_15(sq15360sk15360sqsq15728640sqsk15728640)_generation_0("
      "sq0sk0sqsq0sqsk0)");
  // 15 sequences of 1024: 15 * 1024 * 1025 / 2 pairs
  EXPECT_EQ(text_of(read_op_shape(call, {})),
            "attention_over_pages bf16 heads=32 kv_heads=8 head_dim=128 head_dim_v=128 "
            "queries=15360 keys=15360 pairs=7872000 kv_bits=16");
}

TEST(PagedAttention, with_a_recorded_window_counts_only_what_is_certain) {
  OpCall call =
      call_of("_vllm_fa2_C::varlen_fwd",
              "[[4,8,64],[9,16,2,64],[9,16,2,64],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]",
              R"(["c10::Half","c10::Half","c10::Half","","","","","","","","Scalar","Scalar",
                            "Scalar","Scalar","Scalar","Scalar","Scalar","Scalar"])",
              R"(["","","","","","","","","","","1","9","0","1","False","True","127","0"])");
  call.step = parse_step_lengths(
      "execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk900sqsq4sqsk900)");
  EXPECT_EQ(text_of(read_op_shape(call, {})),
            "attention_over_pages fp16 heads=8 kv_heads=2 head_dim=64 head_dim_v=64 queries=4 "
            "keys=4 pairs=4 kv_bits=16 at least");
}

TEST(PagedAttention, takes_the_part_of_a_step_that_it_works_on) {
  OpCall call = call_of("sgl_kernel::fwd", "[[5,8,64],[9,16,2,64],[9,16,2,64]]",
                        R"(["c10::Half","c10::Half","c10::Half"])");
  call.step = parse_step_lengths(
      "execute_7_context_1(sq5sk9sqsq25sqsk45)_generation_2(sq2sk30sqsq2sqsk30)");
  KernelName kernel;
  kernel.family = Family::kAttention;
  // 5 queries of which the last sees 9 keys: 5 * 9 - (4 + 3 + 2 + 1)
  EXPECT_EQ(text_of(read_op_shape(call, kernel)),
            "attention_over_pages fp16 heads=8 kv_heads=2 head_dim=64 head_dim_v=64 queries=5 "
            "keys=9 pairs=35 kv_bits=16");
  call.step = parse_step_lengths(
      "execute_9_context_1(sq6sk9sqsq36sqsk54)_generation_3(sq3sk30sqsq3sqsk30)");
  EXPECT_EQ(text_of(read_op_shape(call, kernel)), kUnknownLengths) << "none has 5 tokens";
}

OpCall allocation(const std::string& dims, const std::string& type) {
  return call_of("aten::empty", "[[],[]]", R"(["ScalarList","Scalar"])",
                 R"([")" + dims + R"(",")" + type + R"("])");
}

/// gpt-oss with 32 experts, 4 per token, weights of 4 bits.
OpCall moe_layer() {
  OpCall call = call_of("vllm::moe_forward", "[[32,3072],[32,32],[],[]]",
                        R"(["c10::BFloat16","c10::BFloat16","",""])");
  call.inner.push_back(allocation("[32, 4]", "15"));
  call.inner.push_back(allocation("[32, 4]", "2"));
  call.inner.push_back(allocation("[1, 128, 2944]", "15"));
  return call;
}

TEST(Experts, are_read_from_the_ops_inside_a_layer) {
  OpCall call = moe_layer();
  for (int repeat = 0; repeat < 2; ++repeat) {
    call.inner.push_back(
        call_of("aten::view", "[[32,1536,5888],[]]", R"(["unsigned char","ScalarList"])"));
    call.inner.push_back(
        call_of("aten::view", "[[32,1472,3072],[]]", R"(["unsigned char","ScalarList"])"));
  }
  // One expert: 1536 * 5888 + 1472 * 3072 bytes of two numbers each.
  const Result<OpShape> shape = read_op_shape(call, {});
  EXPECT_EQ(text_of(shape),
            "expert_products bf16 tokens=32 top_k=4 token_bytes=6144 expert_elements=27131904 "
            "expert_bytes=13565952 at least");
  EXPECT_EQ(shape->evidence, ShapeEvidence::kInnerOps);
  call.step = parse_step_lengths(
      "execute_25_context_0(sq0sk0sqsq0sqsk0)_generation_25(sq25sk500sqsq25sqsk500)");
  EXPECT_NE(text_of(read_op_shape(call, {})).find("tokens=25 "), std::string::npos)
      << "the rest is padding of a graph";
}

TEST(Experts, without_their_weights_are_as_wide_as_what_is_between_their_products) {
  KernelName kernel;
  EXPECT_EQ(text_of(read_op_shape(moe_layer(), kernel)),
            "expert_products bf16 tokens=32 top_k=4 token_bytes=6144 expert_elements=18087936 "
            "expert_bytes=0 at least");
  kernel.dtype_in = "fp4";
  EXPECT_EQ(text_of(read_op_shape(moe_layer(), kernel)),
            "expert_products fp4_e2m1 tokens=32 top_k=4 token_bytes=6144 expert_elements=18087936 "
            "expert_bytes=9043968 at least");
}

TEST(Experts, need_to_know_how_many_a_token_goes_to) {
  OpCall call = moe_layer();
  call.inner.clear();
  EXPECT_EQ(text_of(read_op_shape(call, {})), kUnknownExperts);
}

TEST(Experts, that_are_arguments_are_read_from_them) {
  const std::string types =
      R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","float","int","int"])";
  EXPECT_EQ(
      text_of(read_op_shape(call_of("sglang::inplace_fused_experts",
                                    "[[7,256],[8,1024,256],[8,256,512],[7,2],[7,2],[]]", types),
                            {})),
      "expert_products bf16 tokens=7 top_k=2 token_bytes=512 expert_elements=393216 "
      "expert_bytes=786432 at least");
  EXPECT_EQ(
      text_of(read_op_shape(call_of("sglang::inplace_fused_experts",
                                    "[[7,256],[8,1024,256],[8,256,512],[7,2],[7,2],[64]]", types),
                            {})),
      kUnknownExperts)
      << "a map of experts: the others are on other devices";
}

TEST(Experts, are_chosen_and_sorted) {
  EXPECT_EQ(
      text_of(read_op_shape(
          call_of("TopK", "[[32,128],[]]", R"(["c10::BFloat16","Scalar"])", R"(["","4"])"), {})),
      "sampling bf16 rows=32 columns=128 out_bytes=8");
  EXPECT_EQ(text_of(read_op_shape(call_of("_moe_C::topk_softmax", "[[32,4],[32,4],[32,4],[32,128]]",
                                          R"(["float","int","int","float"])"),
                                  {})),
            "sampling fp32 rows=32 columns=128 out_bytes=32");
  EXPECT_EQ(text_of(read_op_shape(call_of("SortTokens", "[[32,4],[32,4],[]]",
                                          R"(["c10::BFloat16","short int","Scalar"])"),
                                  {})),
            "copy int16 read_bytes=256 write_bytes=512");
  EXPECT_EQ(text_of(read_op_shape(call_of("_moe_C::moe_align_block_size", "[[32,4],[],[]]",
                                          R"(["int","Scalar","Scalar"])"),
                                  {})),
            "copy int32 read_bytes=512 write_bytes=512");
}

}  // namespace
}  // namespace tactus
