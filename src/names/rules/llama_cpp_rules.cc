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
     read_nothing},
    {"norm_f32", kNorm, "layer_norm", in("ggml/src/ggml-cuda/norm.cu"),
     "void norm_f32<1024>(float const*, float*, int, long, long, long, float)", read_nothing},
    {"rope_norm", kRope, "rope", in("ggml/src/ggml-cuda/rope.cu"),
     "void rope_norm<true, false, float>(float const*, float*, int, int, int, int)", read_nothing},
    {"rope_neox", kRope, "rope", in("ggml/src/ggml-cuda/rope.cu"),
     "void rope_neox<true, false, float>(float const*, float*, int, int, int, int)", read_nothing},
    {"k_bin_bcast op_add", kElementwise, "add", in("ggml/src/ggml-cuda/binbcast.cu"),
     "void k_bin_bcast<&(op_add(float, float)), float, float, float>(float const*, float const*)",
     read_nothing},
    {"k_bin_bcast op_mul", kElementwise, "mul", in("ggml/src/ggml-cuda/binbcast.cu"),
     "void k_bin_bcast<&(op_mul(float, float)), float, float, float>(float const*, float const*)",
     read_nothing},
    {"unary_gated_op_kernel op_silu", kActivation, "silu_and_mul",
     in("ggml/src/ggml-cuda/unary.cu"),
     "void unary_gated_op_kernel<&(op_silu(float)), float>(float const*, float const*, float*)",
     read_nothing},
    {"unary_gated_op_kernel op_gelu", kActivation, "gelu_and_mul",
     in("ggml/src/ggml-cuda/unary.cu"),
     "void unary_gated_op_kernel<&(op_gelu(float)), float>(float const*, float const*, float*)",
     read_nothing},
    {"unary_op_kernel op_silu", kActivation, "silu", in("ggml/src/ggml-cuda/unary.cu"),
     "void unary_op_kernel<&(op_silu(float)), float>(float const*, float*, int)", read_nothing},
    {"unary_op_kernel op_gelu", kActivation, "gelu", in("ggml/src/ggml-cuda/unary.cu"),
     "void unary_op_kernel<&(op_gelu(float)), float>(float const*, float*, int)", read_nothing},
    {"k_set_rows", kKvWrite, "kv_write", in("ggml/src/ggml-cuda/set-rows.cu"),
     "void k_set_rows<float, long, __half>(float const*, long const*, __half*, long)",
     read_nothing},
    {"k_get_rows", kGather, "embedding", in("ggml/src/ggml-cuda/getrows.cu"),
     "void k_get_rows<32, 2, &dequantize_q4_0, float>(void const*, int const*, float*)",
     read_nothing},
    {"k_get_rows_float", kGather, "embedding", in("ggml/src/ggml-cuda/getrows.cu"),
     "void k_get_rows_float<__half, float>(__half const*, int const*, float*, long)",
     read_ggml_get_rows},
    {"soft_max_f32", kReduce, "softmax", in("ggml/src/ggml-cuda/softmax.cu"),
     "void soft_max_f32<true, 0, 0, float>(float const*, float const*, float*)", read_nothing},
    {"argmax_f32", kSampling, "argmax", in("ggml/src/ggml-cuda/argmax.cu"),
     "argmax_f32(float const*, int*, long)", read_nothing},
});

}  // namespace

RuleTable llama_cpp_rules() {
  return {"llama.cpp", kRules};
}

}  // namespace tactus::names
