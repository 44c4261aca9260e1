#include "names/readers/gemm_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kFp8{"vllm/csrc/quantization/w8a8/fp8/common.cu", ""};
constexpr Launcher kInt8{"vllm/csrc/quantization/w8a8/int8/scaled_quant.cu", ""};
constexpr Launcher kGroup{"vllm/csrc/quantization/w8a8/fp8/per_token_group_quant.cu",
                          "per_token_group_quant_8bit", false};
constexpr Launcher kFp4{"vllm/csrc/quantization/fp4/nvfp4_quant_kernels.cu", "", false};
constexpr Launcher kMarlin{"vllm/csrc/quantization/gptq_marlin/gptq_marlin.cu", "marlin_mm", false};
constexpr Launcher kMoeMarlin{"vllm/csrc/moe/marlin_moe_wna16/ops.cu", "marlin_mm", false};
constexpr Launcher kMachete{"vllm/csrc/quantization/machete/machete_mm_launcher.cuh", ""};
constexpr Launcher kAwq{"vllm/csrc/quantization/awq/gemm_kernels.cu", ""};
constexpr Launcher kGptq{"vllm/csrc/quantization/gptq/q_gemm.cu", ""};
constexpr Launcher kGguf{"vllm/csrc/quantization/gguf/gguf_kernel.cu", ""};

/// Output fp8; the input type is the first template argument.
void read_to_fp8(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_dtype(tokens, at, name);
  name.dtype_out = "fp8";
}

void read_to_fp4(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_dtype(tokens, at, name);
  name.dtype_out = "fp4";
}

void read_to_int8(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_dtype(tokens, at, name);
  name.dtype_out = "int8";
}

constexpr auto kRules = std::to_array<Rule>({
    {"scaled_fp8_quant_kernel_strided", kQuantise, "quantise_fp8", kFp8,
     "void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>(int)",
     read_to_fp8},
    {"scaled_fp8_quant_kernel", kQuantise, "quantise_fp8", kFp8,
     "void vllm::scaled_fp8_quant_kernel<c10::BFloat16, c10::Float8_e4m3fn>(int)", read_to_fp8},
    {"scaled_fp8_quant_kernel_strided_dynamic", kQuantise, "quantise_fp8", kFp8,
     "void vllm::scaled_fp8_quant_kernel_strided_dynamic<c10::BFloat16, c10::Float8_e4m3fn>(int)",
     read_to_fp8},
    {"segmented_max_reduction_strided", kQuantise, "quantise_fp8", kFp8,
     "void vllm::segmented_max_reduction_strided<c10::BFloat16, c10::Float8_e4m3fn>(int)",
     read_to_fp8},
    {"segmented_max_reduction", kQuantise, "quantise_fp8", kFp8,
     "void vllm::segmented_max_reduction<c10::BFloat16, c10::Float8_e4m3fn>(float*)", read_to_fp8},
    {"dynamic_per_token_scaled_fp8_quant_kernel_strided", kQuantise, "fp8_dynamic_per_token_quant",
     kFp8,
     "void vllm::dynamic_per_token_scaled_fp8_quant_kernel_strided<c10::BFloat16, "
     "c10::Float8_e4m3fn>(int)",
     read_to_fp8},
    {"dynamic_per_token_scaled_fp8_quant_kernel", kQuantise, "fp8_dynamic_per_token_quant", kFp8,
     "void vllm::dynamic_per_token_scaled_fp8_quant_kernel<c10::BFloat16, c10::Float8_e4m3fn>(int)",
     read_to_fp8},
    {"dynamic_scaled_int8_quant_kernel", kQuantise, "quantise_int8", kInt8,
     "void vllm::dynamic_scaled_int8_quant_kernel<c10::BFloat16, float>(int)", read_to_int8},
    {"static_scaled_int8_quant_kernel", kQuantise, "quantise_int8", kInt8,
     "void vllm::static_scaled_int8_quant_kernel<c10::BFloat16, float>(int)", read_to_int8},
    {"per_token_group_quant_8bit_kernel", kQuantise, "per_token_group_quant_fp8", kGroup,
     "void per_token_group_quant_8bit_kernel<c10::BFloat16, c10::Float8_e4m3fn, true, false>(int)",
     read_to_fp8},
    {"per_token_group_quant_8bit_v2_kernel", kQuantise, "per_token_group_quant_fp8", kGroup,
     "void per_token_group_quant_8bit_v2_kernel<NaiveScheduler, 128, 16, c10::BFloat16>(int)",
     read_to_fp8},
    {"silu_mul_fp8_quant_deep_gemm_kernel", kQuantise, "silu_and_mul_quant",
     launched_in("vllm/csrc/quantization/activation_kernels.cu"),
     "void vllm::silu_mul_fp8_quant_deep_gemm_kernel<128, c10::BFloat16>(int)", read_to_fp8},
    {"silu_mul_cvt_fp16_to_fp4", kQuantise, "silu_and_mul_quant", kFp4,
     "void vllm::silu_mul_cvt_fp16_to_fp4<__nv_bfloat16, false>(int)", read_to_fp4},

    {"marlin_moe_wna16 Marlin", kMoe, "moe_gemm", kMoeMarlin,
     "void marlin_moe_wna16::Marlin<__nv_bfloat16, 1125899906843648l, 256, 1, 8, 8>(int4 const*)"},
    {"Marlin", kGemm, "gemm", kMarlin,
     "void marlin::Marlin<__nv_bfloat16, 1125899906843648l, 256, 1, 8, 8, true, 4>(int4 const*)"},
    {"Marlin_24", kGemm, "gemm", kMarlin,
     "void marlin_24::Marlin_24<4, 256, 2, 8, 2, 3, 8>(int4 const*)"},
    {"gptq_marlin_repack_kernel", kQuantise, "repack",
     launched_in("vllm/csrc/quantization/gptq_marlin/gptq_marlin_repack.cu", "gptq_marlin_repack"),
     "void marlin::gptq_marlin_repack_kernel<256, 4, false>(unsigned int const*)", read_nothing},
    {"MacheteKernel", kGemm, "gemm", kMachete,
     "void cutlass::device_kernel<machete::MacheteKernel<cutlass::half_t>>(int)"},
    {"MacheteCollectiveMma", kGemm, "gemm", kMachete,
     "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int, "
     "machete::MacheteCollectiveMma<cutlass::half_t>>>(int)"},
    {"gemm_forward_4bit_cuda_m16nXk32", kGemm, "gemm", kAwq,
     "void vllm::awq::gemm_forward_4bit_cuda_m16nXk32<128>(int, int, half*)"},
    {"dequantize_weights", kQuantise, "dequantise", kAwq,
     "void vllm::awq::dequantize_weights(int*, half*)"},
    {"awq_gemm_kernel", kGemm, "gemm",
     launched_in("vllm/vllm/model_executor/layers/quantization/awq_triton.py", "awq_gemm_triton"),
     "awq_gemm_kernel", read_nothing},
    {"gemm_half_q_half_gptq_4bit_kernel", kGemm, "gemm", kGptq,
     "void vllm::gptq::gemm_half_q_half_gptq_4bit_kernel<true, 8>(half const*)"},
    {"gemm_half_q_half_alt_4bit_kernel", kGemm, "gemm", kGptq,
     "void vllm::gptq::gemm_half_q_half_alt_4bit_kernel(half2 const*)"},
    {"reconstruct_exllama_4bit_kernel", kQuantise, "dequantise", kGptq,
     "void vllm::gptq::reconstruct_exllama_4bit_kernel(unsigned int const*)"},
    {"mul_mat_vec_q", kGemv, "gemv", kGguf,
     "void mul_mat_vec_q<c10::Half, 32, 4, block_q4_0, 2, &vec_dot>(void const*)"},
    {"mul_mat_vec*", kGemv, "gemv", kGguf,
     "void mul_mat_vec_f<float, float, 1, 256>(float const*)"},
    {"mul_mat_q4*", kGemm, "gemm", kGguf, "void mul_mat_q4_0<c10::Half, true>(void const*)"},
    {"quantize_q8_1", kQuantise, "quantise_int8", kGguf,
     "void quantize_q8_1<c10::Half>(c10::Half const*)"},
    {"kDequantizeBlockwise", kQuantise, "dequantise", kUnknown,
     "void kDequantizeBlockwise<__nv_bfloat16, 512, 64, 8, 2>(float*)"},
    {"kgemm_4bit_inference_naive", kGemv, "gemv", kUnknown,
     "void kgemm_4bit_inference_naive<__nv_bfloat16, 128, 16>(int)"},
});

constexpr Launcher kDeepGemm{};  // it writes its kernels at run time

constexpr auto kDeepGemmRules = std::to_array<Rule>({
    {"fp8_gemm_kernel", kGemm, "block_scaled_mm", kDeepGemm,
     "void deep_gemm::fp8_gemm_kernel<7168u, 2048u, 128u, 128u, 128u, 1u, 5u>(__nv_bfloat16*)",
     [](const NameTokens&, std::size_t, KernelName& name) {
       name.dtype_in = "fp8";
       name.dtype_out = "bf16";
     }},
    {"deep_gemm sm90_fp8_gemm_1d2d_impl", kGemm, "block_scaled_mm", kDeepGemm,
     "void deep_gemm::sm90_fp8_gemm_1d2d_impl<(cute::UMMA::Major)0, 0u, 2112u, 7168u>(float*)",
     [](const NameTokens&, std::size_t, KernelName& name) { name.dtype_in = "fp8"; }},
    {"deep_gemm sm90_fp8_gemm_1d1d_impl", kGemm, "block_scaled_mm", kDeepGemm,
     "void deep_gemm::sm90_fp8_gemm_1d1d_impl<0u, 2112u, 7168u>(float*)",
     [](const NameTokens&, std::size_t, KernelName& name) { name.dtype_in = "fp8"; }},
    {"deep_gemm sm100_fp8_gemm_1d1d_impl", kGemm, "block_scaled_mm", kDeepGemm,
     "void deep_gemm::sm100_fp8_gemm_1d1d_impl<(cute::UMMA::Major)0, 0u, 2112u>(float*)",
     [](const NameTokens&, std::size_t, KernelName& name) { name.dtype_in = "fp8"; }},
    {"deep_gemm sm90_bf16_gemm_impl", kGemm, "gemm", kDeepGemm,
     "void deep_gemm::sm90_bf16_gemm_impl<(cute::UMMA::Major)0, 0u, 2112u, 7168u>(int)",
     [](const NameTokens&, std::size_t, KernelName& name) { name.dtype_in = "bf16"; }},
    {"deep_gemm smxx_fp8_paged_mqa_logits*", kAttention, "mqa_logits", kDeepGemm,
     "void deep_gemm::smxx_fp8_paged_mqa_logits<1, 64, 64>(int)", read_nothing},
    {"deep_gemm transpose_fp32", kCopy, "transpose", kDeepGemm,
     "void deep_gemm::transpose_fp32<512u, 64u>(float const*)"},
    {"deep_gemm transpose_and_pack_fp32_into_ue8m0", kCopy, "transpose", kDeepGemm,
     "void deep_gemm::transpose_and_pack_fp32_into_ue8m0<512u, 64u, 56u>(float*)", read_nothing},
    {"deep_gemm pack_fp32_into_ue8m0", kCopy, "cast", kDeepGemm,
     "void deep_gemm::pack_fp32_into_ue8m0<4u, 512u, 48u, 128u>(float*)", read_nothing},
    {"deep_gemm smxx_paged_mqa_logits_metadata", kAttentionPrepare, "attention_prepare", kDeepGemm,
     "void deep_gemm::smxx_paged_mqa_logits_metadata<32u, 256u, 132u>(unsigned int)", read_nothing},
    {"deep_gemm smxx_clean_logits", kFill, "masked_fill", kDeepGemm,
     "void deep_gemm::smxx_clean_logits<1u, 8192u, 8u>(unsigned int)", read_nothing},
    {"deep_gemm sm90_fp8_mqa_logits", kAttention, "mqa_logits", kDeepGemm,
     "void deep_gemm::sm90_fp8_mqa_logits<64u, 128u, 2u, 256u>(unsigned int)", read_nothing},
    {"deep_gemm sm100_fp8_mqa_logits", kAttention, "mqa_logits", kDeepGemm,
     "void deep_gemm::sm100_fp8_mqa_logits<64u, 128u, 2u, 256u>(unsigned int)", read_nothing},
    {"deep_gemm sm90_fp8_paged_mqa_logits", kAttention, "mqa_logits", kDeepGemm,
     "void deep_gemm::sm90_fp8_paged_mqa_logits<1u, 64u, 128u>(unsigned int)", read_nothing},
});

}  // namespace

RuleTable vllm_quantisation_rules() {
  return {"", kRules};
}

RuleTable deepgemm_rules() {
  return {"deep_gemm", kDeepGemmRules};
}

}  // namespace tactus::names
