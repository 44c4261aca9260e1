#include "bounds/ops/op_shape.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

struct Inputs {
  std::string dims;
  std::string types;
  std::string concrete = "[]";
  std::string strides = "[]";
  std::string kernel;
};

/// "gemm bf16 m=32 n=8 ..." of a call, or why it cannot be told.
std::string shape_of(const std::string& op, const Inputs& inputs) {
  const std::optional<OpCall> call = read_op_call(op, {.dims = inputs.dims,
                                                       .types = inputs.types,
                                                       .strides = inputs.strides,
                                                       .concrete = inputs.concrete});
  if (!call) return "unreadable";
  const Result<OpShape> shape = read_op_shape(*call, decode_kernel_name(inputs.kernel));
  if (!shape) return shape.error().message;
  std::string text =
      shape->operator_name + " " + std::string(number_type_name(shape->parameters.dtype));
  for (const auto& [name, value] : shape->parameters.values) {
    text += " " + name + "=" + std::to_string(value);
  }
  return text;
}

std::string label_of(const std::string& op, const Inputs& inputs) {
  const std::optional<OpCall> call = read_op_call(op, {.dims = inputs.dims,
                                                       .types = inputs.types,
                                                       .strides = inputs.strides,
                                                       .concrete = inputs.concrete});
  return read_op_shape(*call, {})->label;
}

const std::string kTwoHalves = R"(["c10::BFloat16","c10::BFloat16"])";
const std::string kTwoFloats = R"(["float","float"])";

TEST(OpShape, a_product_is_m_by_n_by_k) {
  EXPECT_EQ(shape_of("aten::mm", {"[[32,4096],[4096,14336]]", kTwoHalves}),
            "gemm bf16 m=32 n=14336 k=4096 batch=1 out_bytes=2");
  EXPECT_EQ(label_of("aten::mm", {"[[32,4096],[4096,14336]]", kTwoHalves}),
            "32x4096 by 4096x14336, bf16");
  EXPECT_EQ(shape_of("aten::addmm", {"[[640],[888,2880],[2880,640],[],[]]",
                                     R"(["c10::Half","c10::Half","c10::Half","Scalar","Scalar"])"}),
            "gemm fp16 m=888 n=640 k=2880 batch=1 out_bytes=2");
  EXPECT_EQ(shape_of("aten::bmm", {"[[8,64,1],[8,1,512]]", kTwoFloats}),
            "gemm fp32 m=64 n=512 k=1 batch=8 out_bytes=4");
  EXPECT_EQ(shape_of("aten::linear", {"[[2,3,64],[128,64]]", kTwoHalves}),
            "gemm bf16 m=6 n=128 k=64 batch=1 out_bytes=2");
}

TEST(OpShape, a_matrix_that_a_batch_shares_is_read_once) {
  EXPECT_EQ(
      shape_of("aten::bmm", {"[[8,64,16],[8,16,32]]", kTwoHalves, "[]", "[[1024,16,1],[0,32,1]]"}),
      "gemm bf16 m=512 n=32 k=16 batch=1 out_bytes=2");
  EXPECT_EQ(
      shape_of("aten::bmm", {"[[8,64,16],[8,16,32]]", kTwoHalves, "[]", "[[0,16,1],[512,32,1]]"}),
      "gemm bf16 m=64 n=256 k=16 batch=1 out_bytes=2");
}

TEST(OpShape, scaled_products_write_the_type_they_were_told_to) {
  EXPECT_EQ(
      shape_of(
          "aten::_scaled_mm",
          {"[[32,64],[64,128],[],[],[],[],[],[]]",
           R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn","float","float","","","Scalar","Scalar"])",
           R"(["","","","","","","15","True"])"}),
      "gemm fp8_e4m3 m=32 n=128 k=64 batch=1 out_bytes=2");
}

TEST(OpShape, factors_that_do_not_fit_make_no_product) {
  EXPECT_EQ(shape_of("aten::mm", {"[[32,4096],[1024,14336]]", kTwoHalves}), kOddInputs);
  EXPECT_EQ(shape_of("aten::mm", {"[[32,4096]]", R"(["c10::BFloat16"])"}), kOddInputs);
  EXPECT_EQ(shape_of("aten::mm", {"[[-1,4096],[4096,14336]]", kTwoHalves}), "unreadable");
  EXPECT_EQ(shape_of("aten::mm", {"[[9000000000000000000,2],[2,9000000000000000000]]", kTwoHalves}),
            kOddInputs);
  EXPECT_EQ(shape_of("aten::mm", {"[[1,2],[2", kTwoHalves}), "unreadable");
  EXPECT_EQ(shape_of("aten::mm", {"", ""}), "unreadable");
}

TEST(OpShape, element_by_element_ops_read_their_inputs_and_write_what_they_broadcast_to) {
  EXPECT_EQ(shape_of("aten::mul", {"[[2,512,4096],[2,512,1]]", kTwoFloats}),
            "elementwise fp32 read_bytes=16781312 write_bytes=16777216 flops=4194304 column=4096");
  EXPECT_EQ(shape_of("aten::add", {"[[8,4],[],[]]", R"(["float","double","Scalar"])"}),
            "elementwise fp32 read_bytes=136 write_bytes=128 flops=32");
  EXPECT_EQ(shape_of("aten::lt", {"[[8,4],[]]", R"(["float","Scalar"])", R"(["","0"])"}),
            "elementwise fp32 read_bytes=128 write_bytes=32 flops=32");
  EXPECT_EQ(shape_of("aten::add_", {"[[8,4],[8,4],[]]", R"(["c10::BFloat16","float","Scalar"])"}),
            "elementwise fp32 read_bytes=192 write_bytes=64 flops=32")
      << "the result goes where the first input was";
  EXPECT_EQ(shape_of("aten::div", {"[[8],[8],[8]]", R"(["float","float","c10::Half"])"}),
            "elementwise fp32 read_bytes=64 write_bytes=16 flops=8")
      << "a third tensor is the result";
}

TEST(OpShape, ops_of_two_tensors_say_how_the_smaller_one_lies) {
  const auto layout = [](const std::string& op, const std::string& dims,
                         const std::string& types = kTwoFloats) {
    const std::string text = shape_of(op, {dims, types});
    const std::size_t flops = text.find(" flops=");
    return text.substr(std::min(text.find(' ', flops + 1), text.size()));
  };
  EXPECT_EQ(layout("aten::mul", "[[32,512,4096],[32,512,1]]"), " column=4096");
  EXPECT_EQ(layout("aten::mul", "[[32,8,512,128],[1,1,512,128]]"), " row=65536");
  EXPECT_EQ(layout("aten::mul", "[[4096],[32,512,4096]]"), " row=4096") << "the order is free";
  EXPECT_EQ(layout("aten::sub", "[[32,4096],[4096]]"), " row=4096");
  EXPECT_EQ(layout("aten::sub", "[[4096],[32,4096]]"), "") << "the order is not free";
  EXPECT_EQ(layout("aten::div_", "[[32,128256],[32,1]]"), " column=128256");
  EXPECT_EQ(layout("aten::add", "[[32,128],[1]]"), " column=4096") << "one number";
  EXPECT_EQ(layout("aten::add", "[[32,128],[32,128]]"), "");
  EXPECT_EQ(layout("aten::add", "[[4,5,6],[1,5,1]]"), "") << "neither a row nor a column";
  EXPECT_EQ(layout("aten::add", "[[4,5,6],[4,1,6]]"), "");
  EXPECT_EQ(layout("aten::add", "[[4,1],[1,5]]"), "") << "both are repeated";
  EXPECT_EQ(layout("aten::mul", "[[4,5],[5]]", R"(["float","c10::BFloat16"])"), "");
}

TEST(OpShape, an_expanded_tensor_is_read_once) {
  EXPECT_EQ(shape_of("aten::add", {"[[1024,64],[1024,64]]", kTwoFloats, "[]", "[[64,1],[0,1]]"}),
            "elementwise fp32 read_bytes=262400 write_bytes=262144 flops=65536");
}

TEST(OpShape, integers_that_become_floats_are_written_as_small_as_floats_can_be) {
  EXPECT_EQ(shape_of("aten::div", {"[[8],[8]]", R"(["long int","long int"])"}),
            "elementwise int64 read_bytes=128 write_bytes=16 flops=8");
  EXPECT_EQ(shape_of("aten::mul", {"[[8],[]]", R"(["long int","Scalar"])", R"(["","0.5"])"}),
            "elementwise int64 read_bytes=64 write_bytes=16 flops=8");
}

TEST(OpShape, copies_read_one_type_and_write_the_other) {
  EXPECT_EQ(shape_of("aten::copy_", {"[[4,8],[4,8],[]]", R"(["float","c10::BFloat16","Scalar"])"}),
            "copy fp32 read_bytes=64 write_bytes=128");
  EXPECT_EQ(shape_of("aten::copy_", {"[[4,8],[8],[]]", R"(["float","float","Scalar"])"}),
            "copy fp32 read_bytes=32 write_bytes=128");
}

TEST(OpShape, what_is_masked_need_not_be_touched) {
  EXPECT_EQ(shape_of("aten::masked_fill_",
                     {"[[888,2880],[888,1],[]]", R"(["c10::BFloat16","bool","Scalar"])"}),
            "elementwise bf16 read_bytes=888 write_bytes=0 flops=0");
  EXPECT_EQ(shape_of("aten::where", {"[[8],[8],[8]]", R"(["bool","float","float"])"}),
            "elementwise fp32 read_bytes=40 write_bytes=32 flops=0")
      << "of each pair one is chosen";
}

TEST(OpShape, fills_write_only) {
  EXPECT_EQ(shape_of("aten::fill_", {"[[888,3072],[]]", R"(["c10::BFloat16","Scalar"])"}),
            "fill bf16 write_bytes=5455872");
  EXPECT_EQ(
      shape_of("aten::arange", {"[[],[],[],[0]]", R"(["Scalar","Scalar","Scalar","long int"])",
                                R"(["0","512","1",""])"}),
      "fill int64 write_bytes=4096");
  EXPECT_EQ(
      shape_of("aten::arange", {"[[],[],[],[0]]", R"(["Scalar","Scalar","Scalar","long int"])",
                                R"(["0","512","0",""])"}),
      kOddInputs);
}

TEST(OpShape, reductions_write_what_is_left) {
  EXPECT_EQ(
      shape_of("aten::mean", {"[[32,512,4096],[],[],[]]", R"(["float","ScalarList","Scalar",""])",
                              R"(["","[-1]","True",""])"}),
      "reduce fp32 read_bytes=268435456 write_bytes=65536 elements=67108864 rows=16384 "
      "columns=4096");
  EXPECT_EQ(shape_of("aten::max", {"[[32,128]]", R"(["float"])"}),
            "reduce fp32 read_bytes=16384 write_bytes=4 elements=4096 rows=1 columns=4096");
  const std::string over_first =
      shape_of("aten::sum",
               {"[[32,128],[],[]]", R"(["float","ScalarList","Scalar"])", R"(["","[0]","False"])"});
  EXPECT_TRUE(over_first.ends_with(" rows=32 columns=128 first=1")) << over_first;
  const std::string middle =
      shape_of("aten::sum",
               {"[[4,5,6],[],[]]", R"(["float","ScalarList","Scalar"])", R"(["","[1]","False"])"});
  EXPECT_TRUE(middle.ends_with(" elements=120")) << middle;
  EXPECT_EQ(shape_of("aten::argmax",
                     {"[[32,128],[],[]]", R"(["float","Scalar","Scalar"])", R"(["","-1","True"])"}),
            "reduce fp32 read_bytes=16384 write_bytes=256 elements=4096 rows=32 columns=128");
  EXPECT_EQ(shape_of("aten::_softmax", {"[[32,128],[],[]]", R"(["float","Scalar","Scalar"])",
                                        R"(["","-1","False"])"}),
            "softmax fp32 rows=32 columns=128");
  EXPECT_EQ(shape_of("aten::_softmax",
                     {"[[32,128],[],[]]", R"(["float","Scalar","Scalar"])", R"(["","7","False"])"}),
            kOddInputs);
  EXPECT_EQ(shape_of("aten::topk",
                     {"[[32,128],[],[],[],[]]", R"(["float","Scalar","Scalar","Scalar","Scalar"])",
                      R"(["","4","-1","True","True"])"}),
            "sampling fp32 rows=32 columns=128 out_bytes=48");
}

TEST(OpShape, lists_of_tensors_have_the_type_that_their_kernel_has) {
  const Inputs inputs = {
      "[[[0],[32,8,1,128],[32,8,512,128]],[]]", R"(["TensorList","Scalar"])", R"(["","-2"])",
      "[[[1],[1024,128,128,1],[524288,65536,128,1]],[]]",
      "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous "
      "namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64>(int)"};
  EXPECT_EQ(
      shape_of("aten::cat", inputs),
      "cat bf16 read_bytes=33619968 write_bytes=33619968 rows=256 a_columns=128 b_columns=65536");
  Inputs unknown = inputs;
  unknown.kernel = "something_else";
  EXPECT_EQ(shape_of("aten::cat", unknown), kOddInputs);
}

TEST(OpShape, picking_rows_reads_as_many_indices_as_there_are) {
  EXPECT_EQ(
      shape_of("aten::gather", {"[[128256,4096],[],[32,4096],[],[32,4096]]",
                                R"(["c10::BFloat16","Scalar","long int","Scalar","c10::BFloat16"])",
                                R"(["","0","","False",""])", "[[4096,1],[],[1,0],[],[4096,1]]"}),
      "gather bf16 rows=32 columns=4096 table_rows=128256 index_bytes=8");
  EXPECT_EQ(shape_of("aten::index_select",
                     {"[[512,64],[],[141]]", R"(["c10::BFloat16","Scalar","long int"])",
                      R"(["","0",""])"}),
            "gather bf16 rows=141 columns=64 table_rows=512 index_bytes=8");
  EXPECT_EQ(shape_of("aten::index", {"[[888,2880],[]]", R"(["c10::BFloat16",""])"}),
            kUnknownIndices);
}

/// q, k, v and what stands behind them in _cudnn_attention_forward.
Inputs cudnn_attention(const std::string& q, const std::string& k, const std::string& causal) {
  return {
      "[" + q + "," + k + "," + k + ",[],[],[],[],[],[],[],[],[],[]]",
      R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","","","","Scalar","Scalar","Scalar","Scalar","Scalar","Scalar","Scalar"])",
      R"(["","","","","","","1","513","False","0.",")" + causal + R"(","False","0.08"])"};
}

TEST(OpShape, attention_is_told_by_q_k_and_v) {
  EXPECT_EQ(shape_of("aten::_cudnn_attention_forward",
                     cudnn_attention("[32,32,1,128]", "[32,8,513,128]", "False")),
            "attention bf16 batch=32 heads=32 kv_heads=8 head_dim=128 head_dim_v=128 q_len=1 "
            "kv_len=513 causal=0");
  EXPECT_EQ(shape_of("aten::_cudnn_attention_forward",
                     cudnn_attention("[32,32,512,128]", "[32,8,512,128]", "True")),
            "attention bf16 batch=32 heads=32 kv_heads=8 head_dim=128 head_dim_v=128 q_len=512 "
            "kv_len=512 causal=1");
  EXPECT_EQ(
      shape_of(
          "aten::_flash_attention_forward",
          {"[[16,559,16,64],[16,559,16,64],[16,559,16,64],[],[],[],[],[],[]]",
           R"(["c10::Half","c10::Half","c10::Half","","","Scalar","Scalar","Scalar","Scalar"])",
           R"(["","","","","","559","559","0.","True"])"}),
      "attention fp16 batch=16 heads=16 kv_heads=16 head_dim=64 head_dim_v=64 q_len=559 "
      "kv_len=559 causal=1")
      << "heads come last but one here";
}

TEST(OpShape, packed_sequences_are_known_if_all_are_as_long_as_the_longest) {
  Inputs inputs = {
      "[[1024,16,64],[1024,4,64],[1024,4,64],[3],[3],[],[],[],[]]",
      R"(["c10::Half","c10::Half","c10::Half","int","int","Scalar","Scalar","Scalar","Scalar"])",
      R"(["","","","","","512","512","0.","True"])"};
  EXPECT_EQ(shape_of("aten::_flash_attention_forward", inputs),
            "attention fp16 batch=2 heads=16 kv_heads=4 head_dim=64 head_dim_v=64 q_len=512 "
            "kv_len=512 causal=1");
  inputs.concrete = R"(["","","","","","700","700","0.","True"])";
  EXPECT_EQ(shape_of("aten::_flash_attention_forward", inputs), kUnknownLengths);
  EXPECT_EQ(shape_of("vllm::unified_attention_with_output",
                     {"[[888,8,64],[888,1,64],[888,1,64],[888,8,64]]",
                      R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","c10::BFloat16"])"}),
            kUnknownLengths);
}

TEST(OpShape, ops_of_serving_engines_are_known_by_name) {
  EXPECT_EQ(shape_of("_C::fused_add_rms_norm",
                     {"[[888,2880],[888,2880],[2880],[]]",
                      R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","Scalar"])"}),
            "fused_add_rms_norm bf16 tokens=888 hidden=2880");
  EXPECT_EQ(
      shape_of("aiter::rmsnorm", {"[[491520,128],[491520,128],[128],[]]",
                                  R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","Scalar"])"}),
      "rms_norm bf16 tokens=491520 hidden=128");
  EXPECT_EQ(shape_of("sgl_kernel::silu_and_mul", {"[[15360,12288],[15360,24576]]", kTwoHalves}),
            "silu_and_mul bf16 tokens=15360 width=24576");
  EXPECT_EQ(
      shape_of("_C::rotary_embedding",
               {"[[888],[888,512],[888,64],[],[131072,64],[]]",
                R"(["long int","c10::BFloat16","c10::BFloat16","Scalar","c10::BFloat16","Scalar"])",
                R"(["","","","64","","True"])"}),
      "rope bf16 tokens=888 heads=9 rope_dim=64");
  EXPECT_EQ(
      shape_of("_C_cache_ops::reshape_and_cache_flash",
               {"[[888,1,64],[888,1,64],[4213816,16,1,64],[4213816,16,1,64],[444]]",
                R"(["c10::BFloat16","c10::BFloat16","unsigned char","unsigned char","long int"])"}),
      "copy bf16 read_bytes=117216 write_bytes=56832")
      << "padding has no slot, and the cache is of another type";
  EXPECT_EQ(shape_of("_C::rms_norm", {"[[],[]]", R"(["Scalar","Scalar"])"}), kOddInputs);
}

TEST(OpShape, compiled_kernels_count_each_tensor_that_their_loop_covers_once) {
  EXPECT_EQ(shape_of("triton_poi_fused_mul_silu_7",
                     {"[[32,512,16],[16384,16],[]]",
                      R"(["c10::BFloat16","c10::BFloat16","Scalar"])", R"(["","","262144"])"}),
            "elementwise bf16 read_bytes=1048576 write_bytes=0 flops=262144");
  EXPECT_EQ(
      shape_of(
          "triton_red_fused__to_copy_embedding_mean_mul_pow_rsqrt_0",
          {"[[32,512],[128256,64],[64],[],[32,512,64],[],[]]",
           R"(["long int","c10::BFloat16","c10::BFloat16","Scalar","c10::BFloat16","Scalar","Scalar"])",
           R"(["","","","1e-06","","16384","64"])"}),
      "elementwise bf16 read_bytes=2097152 write_bytes=0 flops=1048576")
      << "which rows of the table are read, the indices say";
  EXPECT_EQ(shape_of("triton_poi_fused_mul_slice_1",
                     {"[[64,16],[64,8],[]]", R"(["float","float","Scalar"])", R"(["","","512"])"}),
            "elementwise fp32 read_bytes=2048 write_bytes=0 flops=512")
      << "of a tensor that is cut, only what is written is sure";
  EXPECT_EQ(shape_of("triton_poi_fused_0", {"[[32],[64]]", R"(["int","float"])", R"(["",""])"}),
            kOddInputs)
      << "without its loop nothing is sure";
}

TEST(OpShape, of_a_collective_counts_what_each_rank_must_send) {
  EXPECT_EQ(shape_of("symm_mem::multimem_all_reduce_",
                     {"[[2557440],[],[]]", R"(["c10::BFloat16","",""])"}),
            "collective bf16 read_bytes=5114880 write_bytes=5114880 link_bytes=5114880");
  EXPECT_EQ(shape_of("c10d::_reduce_scatter_base_",
                     {"[[64],[128]]", R"(["c10::BFloat16","c10::BFloat16"])"}),
            "collective bf16 read_bytes=128 write_bytes=0 link_bytes=64");
}

TEST(OpShape, what_is_not_known_has_no_bound) {
  EXPECT_EQ(shape_of("vllm::moe_forward", {"[[888,3072],[888,128]]", kTwoHalves}), kUnknownExperts);
  EXPECT_EQ(shape_of("record_param_comms", {"[[1,25136]]", R"(["c10::BFloat16"])"}), kCollective);
  EXPECT_EQ(shape_of("aten::mm", {"[[32,4096],[4096,8]]", R"(["c10::complex<float>","float"])"}),
            kOddInputs);
}

}  // namespace
}  // namespace tactus
