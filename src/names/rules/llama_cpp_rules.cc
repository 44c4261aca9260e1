#include "names/readers/ggml_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher in(std::string_view file) {
  return launched_in(file);
}

/// Kernels of ggml's CUDA backend. Their names have no namespace; the type of quantised weights is
/// an enum: "void mul_mat_q<(ggml_type)12, 128, false>(char const*, int const*, ...)".
constexpr auto kRules = std::to_array<Rule>({
    {"mul_mat_q_stream_k_fixup", kSplitKReduce, "splitk_reduce", in("ggml/src/ggml-cuda/mmq.cuh"),
     "void mul_mat_q_stream_k_fixup<(ggml_type)12, 128, false>(int const*, int const*)",
     read_nothing},
    {"mul_mat_q", kGemm, "gemm", in("ggml/src/ggml-cuda/mmq.cuh"),
     "void mul_mat_q<(ggml_type)12, 128, false>(char const*, int const*, int const*)",
     read_nothing},
    {"mul_mat_vec_q ggml_type", kGemv, "gemv", in("ggml/src/ggml-cuda/mmvq.cu"),
     "void mul_mat_vec_q<(ggml_type)14, 1, false, false>(void const*, void const*)", read_nothing},
    {"mul_mat_vec_q_moe", kGemv, "gemv", in("ggml/src/ggml-cuda/mmvq.cu"),
     "void mul_mat_vec_q_moe<(ggml_type)14, 4>(void const*, void const*)", read_nothing},
    {"mul_mat_vec_f", kGemv, "gemv", in("ggml/src/ggml-cuda/mmvf.cu"),
     "void mul_mat_vec_f<__half, float, 1, 256>(__half const*, float const*)", read_dtype},
    {"mul_mat_vec", kGemv, "gemv", in("ggml/src/ggml-cuda/mmv.cu"),
     "void mul_mat_vec<__half, float, 1, 256>(__half const*, float const*)", read_dtype},
    {"mm_ids_helper", kMoe, "moe_count_and_sort", in("ggml/src/ggml-cuda/mmid.cu"),
     "void mm_ids_helper<8>(int const*, int*, int*)", read_nothing},
    {"topk_moe_cuda", kMoe, "moe_topk_gating_softmax", in("ggml/src/ggml-cuda/topk-moe.cu"),
     "void topk_moe_cuda<128, false>(float const*)", read_nothing},
    {"gated_delta_net_cuda", kAttention, "gated_delta_rule_update",
     in("ggml/src/ggml-cuda/gated_delta_net.cu"), "void gated_delta_net_cuda<128>(float const*)",
     read_nothing},
    {"ssm_conv*", kConv, "causal_conv1d", in("ggml/src/ggml-cuda/ssm-conv.cu"),
     "void ssm_conv_f32<false, 128, 4>(float const*)", read_ggml_f32},
    {"ssm_scan*", kScan, "selective_scan", in("ggml/src/ggml-cuda/ssm-scan.cu"),
     "void ssm_scan_f32<128, 16>(float const*)", read_ggml_f32},
    {"mul_mat_f", kGemm, "gemm", in("ggml/src/ggml-cuda/mmf.cuh"),
     "void mul_mat_f<__half2, 32, 4, 4, false>(__half2 const*, float const*)"},
    {"quantize_mmq_q8_1", kQuantise, "quantise_int8", in("ggml/src/ggml-cuda/quantize.cu"),
     "void quantize_mmq_q8_1<(mmq_q8_1_ds_layout)0>(float const*, int const*, void*)",
     read_nothing},
    {"flash_attn_combine_results", kAttentionCombine, "attention_combine",
     in("ggml/src/ggml-cuda/fattn-common.cuh"),
     "void flash_attn_combine_results<128>(float const*, float2 const*, float*, int)",
     read_nothing},
    {"flash_attn_stream_k_fixup*", kAttentionCombine, "attention_combine",
     in("ggml/src/ggml-cuda/fattn-common.cuh"),
     "void flash_attn_stream_k_fixup_uniform<128, 8, 8>(float*, float2 const*, int)", read_nothing},
    {"flash_attn_mask_to_KV_max", kAttentionPrepare, "attention_prepare",
     in("ggml/src/ggml-cuda/fattn-common.cuh"),
     "void flash_attn_mask_to_KV_max<16>(__half2 const*, int*, int, int, int)", read_nothing},
    {"flash_attn_ext_vec", kAttention, "attention", in("ggml/src/ggml-cuda/fattn.cu"),
     "void flash_attn_ext_vec<128, 1, (ggml_type)1, (ggml_type)1, false>(char const*)",
     read_ggml_vector_attention},
    {"flash_attn_ext*", kAttention, "attention", in("ggml/src/ggml-cuda/fattn.cu"),
     "void flash_attn_ext_f16<128, 128, 16, 4, false, false, false>(char const*, char const*)",
     read_ggml_tile_attention},
    {"flash_attn_vec_ext*", kAttention, "attention", in("ggml/src/ggml-cuda/fattn.cu"),
     "void flash_attn_vec_ext_f16<128, 1, (ggml_type)1, (ggml_type)1, false>(char const*)",
     read_ggml_vector_attention},
    {"flash_attn_tile*", kAttention, "attention", in("ggml/src/ggml-cuda/fattn.cu"),
     "void flash_attn_tile_ext_f16<128, 32, 8, false>(char const*, char const*)", read_nothing},
    {"rms_norm_f32", kNorm, "rms_norm", in("ggml/src/ggml-cuda/norm.cu"),
     "void rms_norm_f32<1024, true, false>(float const*, float*, int, long, long, long)",
     read_ggml_f32},
    {"norm_f32", kNorm, "layer_norm", in("ggml/src/ggml-cuda/norm.cu"),
     "void norm_f32<1024>(float const*, float*, int, long, long, long, float)", read_ggml_f32},
    {"l2_norm_f32", kNorm, "l2_norm", in("ggml/src/ggml-cuda/norm.cu"),
     "void l2_norm_f32<32>(float const*, float*, int, long)", read_ggml_f32},
    {"group_norm_f32", kNorm, "group_norm", in("ggml/src/ggml-cuda/norm.cu"),
     "void group_norm_f32<1024>(float const*, float*, int, int, float)", read_ggml_f32},
    {"rope_norm", kRope, "rope", in("ggml/src/ggml-cuda/rope.cu"),
     "void rope_norm<true, false, float>(float const*, float*, int, int, int, int)",
     read_ggml_from_to},
    {"rope_neox", kRope, "rope", in("ggml/src/ggml-cuda/rope.cu"),
     "void rope_neox<true, false, float>(float const*, float*, int, int, int, int)",
     read_ggml_from_to},
    {"rope_multi", kRope, "mrope", in("ggml/src/ggml-cuda/rope.cu"),
     "void rope_multi<true, false, float>(float const*, float*, int, int, int, int)",
     read_ggml_from_to},
    {"k_bin_bcast*", kElementwise, "elementwise", in("ggml/src/ggml-cuda/binbcast.cu"),
     "void k_bin_bcast<&(op_add(float, float)), float, float, float>(float const*, float const*)",
     read_ggml_binary},
    {"unary_gated_op_kernel", kActivation, "act_and_mul", in("ggml/src/ggml-cuda/unary.cu"),
     "void unary_gated_op_kernel<&(op_silu(float)), float>(float const*, float const*, float*)",
     read_ggml_unary},
    {"unary_op_kernel", kElementwise, "elementwise", in("ggml/src/ggml-cuda/unary.cu"),
     "void unary_op_kernel<&(op_silu(float)), float>(float const*, float*, int)", read_ggml_unary},
    {"swiglu_oai_kernel", kActivation, "silu_and_mul", in("ggml/src/ggml-cuda/unary.cu"),
     "void swiglu_oai_kernel<float>(float const*, float const*, float*, long)"},
    {"scale_f32", kElementwise, "mul", in("ggml/src/ggml-cuda/scale.cu"),
     "scale_f32(float const*, float*, float, float, long)", read_ggml_f32},
    {"add_id_kernel", kElementwise, "add", in("ggml/src/ggml-cuda/add-id.cu"),
     "add_id_kernel(float const*, float const*, int const*, float*)", read_ggml_f32},
    {"reduce_rows_f32", kReduce, "sum", in("ggml/src/ggml-cuda/reduce_rows.cuh"),
     "void reduce_rows_f32<false>(float const*, float*, int)", read_ggml_f32},
    {"cpy_scalar", kCopy, "copy", in("ggml/src/ggml-cuda/cpy.cu"),
     "void cpy_scalar<&(void cpy_1_scalar<float, float>(char const*, char*))>(char const*, char*)",
     read_ggml_copy},
    {"cpy_scalar*", kCopy, "copy", in("ggml/src/ggml-cuda/cpy.cu"),
     "void cpy_scalar_transpose<float>(char const*, char*, long)", read_ggml_from_to},
    {"cpy_f32*", kCopy, "copy", in("ggml/src/ggml-cuda/cpy.cu"),
     "void cpy_f32_f16<&cpy_1_f32_f16>(const char *, char *, int)", read_ggml_copy},
    {"cpy_flt", kCopy, "copy", in("ggml/src/ggml-cuda/cpy.cu"),
     "void cpy_flt<&(void cpy_1_flt<float, __half>(char const*, char*))>(char const*, char*)",
     read_ggml_copy},
    {"convert_unary", kCopy, "cast", in("ggml/src/ggml-cuda/convert.cu"),
     "void convert_unary<float, __half>(void const*, __half*, long, long, long)",
     read_ggml_from_to},
    {"k_set_rows", kKvWrite, "kv_write", in("ggml/src/ggml-cuda/set-rows.cu"),
     "void k_set_rows<float, long, __half>(float const*, long const*, __half*, long)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       const TemplateArgs args(tokens, at);
       name.dtype_in = args.dtype(0);
       name.dtype_out = args.dtype(2);
     }},
    {"k_set_rows_quant", kKvWrite, "kv_write", in("ggml/src/ggml-cuda/set-rows.cu"),
     "void k_set_rows_quant<long, block_q8_0, 32, &quantize_f32_q8_0_block>(float const*)",
     [](const NameTokens&, std::size_t, KernelName& name) { name.dtype_in = "fp32"; }},
    {"k_get_rows", kGather, "embedding", in("ggml/src/ggml-cuda/getrows.cu"),
     "void k_get_rows<32, 2, &dequantize_q4_0, float>(void const*, int const*, float*)",
     read_nothing},
    {"k_get_rows_float*", kGather, "embedding", in("ggml/src/ggml-cuda/getrows.cu"),
     "void k_get_rows_float<__half, float>(__half const*, int const*, float*, long)",
     read_ggml_get_rows},
    {"soft_max_f32", kReduce, "softmax", in("ggml/src/ggml-cuda/softmax.cu"),
     "void soft_max_f32<true, 0, 0, float>(float const*, float const*, float*)", read_ggml_f32},
    {"argmax_f32", kSampling, "argmax", in("ggml/src/ggml-cuda/argmax.cu"),
     "argmax_f32(float const*, int*, long)",
     [](const NameTokens&, std::size_t, KernelName& name) { name.dtype_in = "fp32"; }},
});

}  // namespace

RuleTable llama_cpp_rules() {
  return {"llama.cpp", kRules};
}

}  // namespace tactus::names
