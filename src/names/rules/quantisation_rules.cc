#include "names/readers/gemm_readers.h"
#include "names/readers/quantised_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"
#include "names/tokens/pieces.h"

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

/// Kernels that work on halves only.
void read_fp16(const NameTokens&, std::size_t, KernelName& name) {
  set_dtype(name, "fp16");
}

/// The first template argument is the type of what is quantised.
void read_input_dtype(const NameTokens& tokens, std::size_t at, KernelName& name) {
  name.dtype_in = TemplateArgs(tokens, at).dtype(0);
}

/// vLLM has ggml's kernel as a template; the original reads floats and is not one.
void read_q8_1(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_to_int8(tokens, at, name);
  if (TemplateArgs(tokens, at).size() != 0) return;
  name.dtype_in = "fp32";
  name.library = "llama.cpp";
  name.launcher = launched_in("ggml/src/ggml-cuda/quantize.cu");
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
    {"per_token_group_quant_8bit*", kQuantise, "per_token_group_quant_fp8", kGroup,
     "void per_token_group_quant_8bit_kernel<c10::BFloat16, c10::Float8_e4m3fn, true, false>(int)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       read_quantised_types(tokens, at, name);
       if (name.dtype_out == name.dtype_in) name.dtype_out = "fp8";
     }},
    {"silu_mul_fp8_quant_deep_gemm_kernel", kQuantise, "silu_and_mul_quant",
     launched_in("vllm/csrc/quantization/activation_kernels.cu"),
     "void vllm::silu_mul_fp8_quant_deep_gemm_kernel<128, c10::BFloat16>(int)", read_to_fp8},
    {"silu_mul_cvt_fp16_to_fp4", kQuantise, "silu_and_mul_quant", kFp4,
     "void vllm::silu_mul_cvt_fp16_to_fp4<__nv_bfloat16, false>(int)", read_to_fp4},

    {"marlin_moe_wna16 Marlin", kMoe, "moe_gemm", kMoeMarlin,
     "void marlin_moe_wna16::Marlin<__nv_bfloat16, 1125899906843648l, 256, 1, 8, 8>(int4 const*)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       read_marlin(tokens, at + 1, name);
     }},
    {"Marlin", kGemm, "gemm", kMarlin,
     "void marlin::Marlin<__nv_bfloat16, 1125899906843648l, 256, 1, 8, 8, true, 4>(int4 const*)",
     read_marlin},
    {"Marlin_24", kGemm, "gemm", kMarlin,
     "void marlin_24::Marlin_24<4, 256, 2, 8, 2, 3, 8>(int4 const*)"},
    {"gptq_marlin_repack_kernel", kQuantise, "repack",
     launched_in("vllm/csrc/quantization/gptq_marlin/gptq_marlin_repack.cu", "gptq_marlin_repack"),
     "void marlin::gptq_marlin_repack_kernel<256, 4, false>(unsigned int const*)", read_nothing},
    {"awq_marlin_repack_kernel", kQuantise, "repack",
     launched_in("vllm/csrc/quantization/gptq_marlin/awq_marlin_repack.cu", "awq_marlin_repack"),
     "void marlin::awq_marlin_repack_kernel<256, 4, false>(unsigned int const*)", read_nothing},
    {"MacheteKernel", kGemm, "gemm", kMachete,
     "void cutlass::device_kernel<machete::MacheteKernel<cutlass::half_t>>(int)"},
    {"MacheteCollectiveMma", kGemm, "gemm", kMachete,
     "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int, "
     "machete::MacheteCollectiveMma<cutlass::half_t>>>(int)"},
    {"gemm_forward_4bit_cuda_m16nXk32", kGemm, "gemm", kAwq,
     "void vllm::awq::gemm_forward_4bit_cuda_m16nXk32<128>(int, int, half*)", read_fp16},
    {"gemm_forward_4bit*", kGemm, "gemm", kUnknown,
     "void awq::gemm_forward_4bit_cuda_m16n128k32(int, int, int, __half*)", read_fp16, "awq"},
    {"dequantize_weights", kQuantise, "dequantise", kAwq,
     "void vllm::awq::dequantize_weights(int*, half*)"},
    {"awq_gemm_kernel", kGemm, "gemm",
     launched_in("vllm/vllm/model_executor/layers/quantization/awq_triton.py", "awq_gemm_triton"),
     "awq_gemm_kernel", read_nothing},
    {"gemm_half_q_half_gptq_4bit_kernel", kGemm, "gemm", kGptq,
     "void vllm::gptq::gemm_half_q_half_gptq_4bit_kernel<true, 8>(half const*)", read_fp16},
    {"gemm_half_q_half_alt_4bit_kernel", kGemm, "gemm", kGptq,
     "void vllm::gptq::gemm_half_q_half_alt_4bit_kernel(half2 const*)", read_fp16},
    {"gemm_half_q_half*", kGemm, "gemm", kUnknown,
     "void gemm_half_q_half_kernel<8, true, true>(__half const*, unsigned int const*)", read_fp16,
     "exllama"},
    {"reconstruct_exllama_4bit_kernel", kQuantise, "dequantise", kGptq,
     "void vllm::gptq::reconstruct_exllama_4bit_kernel(unsigned int const*)"},
    {"mul_mat_vec_q", kGemv, "gemv", kGguf,
     "void mul_mat_vec_q<c10::Half, 32, 4, block_q4_0, 2, &vec_dot>(void const*)"},
    {"mul_mat_q4*", kGemm, "gemm", kGguf, "void mul_mat_q4_0<c10::Half, true>(void const*)"},
    {"quantize_q8_1", kQuantise, "quantise_int8", kGguf,
     "void quantize_q8_1<c10::Half>(c10::Half const*)", read_q8_1},
    {"kDequantizeBlockwise", kQuantise, "dequantise", kUnknown,
     "void kDequantizeBlockwise<__nv_bfloat16, 512, 64, 8, 2>(float*)", read_dtype, "bitsandbytes"},
    {"kQuantizeBlockwise", kQuantise, "quantise", kUnknown,
     "void kQuantizeBlockwise<__half, 64, 2, 0, 2>(float*)", read_input_dtype, "bitsandbytes"},
    {"kInt8VectorQuant", kQuantise, "quantise_int8", kUnknown,
     "void kInt8VectorQuant<__half, 1024, 1>(__half*, signed char*)", read_to_int8, "bitsandbytes"},
    {"kgemm_4bit_inference_naive", kGemv, "gemv", kUnknown,
     "void kgemm_4bit_inference_naive<__nv_bfloat16, 128, 16>(int)", read_dtype, "bitsandbytes"},
});

constexpr Launcher kDeepGemm{};  // it writes its kernels at run time

constexpr auto kDeepGemmRules = std::to_array<Rule>({
    {"fp8_gemm_kernel", kGemm, "block_scaled_mm", kDeepGemm,
     "void deep_gemm::fp8_gemm_kernel<7168u, 2048u, 128u, 128u, 128u, 1u, 5u>(__nv_bfloat16*)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       read_deep_gemm(tokens, at, name);
       if (name.family == kGemm) name.op = "block_scaled_mm";
       name.dtype_out = "bf16";
     }},
    {"deep_gemm transpose_fp32", kCopy, "transpose", kDeepGemm,
     "void deep_gemm::transpose_fp32<512u, 64u>(float const*)"},
    {"deep_gemm transpose_and_pack_fp32_into_ue8m0", kCopy, "transpose", kDeepGemm,
     "void deep_gemm::transpose_and_pack_fp32_into_ue8m0<512u, 64u, 56u>(float*)", read_nothing},
    {"deep_gemm pack_fp32_into_ue8m0", kCopy, "cast", kDeepGemm,
     "void deep_gemm::pack_fp32_into_ue8m0<4u, 512u, 48u, 128u>(float*)", read_nothing},
    {"deep_gemm smxx_clean_logits", kFill, "masked_fill", kDeepGemm,
     "void deep_gemm::smxx_clean_logits<1u, 8192u, 8u>(unsigned int)", read_nothing},
    {"deep_gemm", kGemm, "gemm", kDeepGemm,
     "void deep_gemm::sm90_fp8_gemm_1d2d_impl<(cute::UMMA::Major)0, 0u, 2112u, 7168u>(float*)",
     read_deep_gemm},
});

}  // namespace

RuleTable vllm_quantisation_rules() {
  return {"", kRules};
}

RuleTable deepgemm_rules() {
  return {"deep_gemm", kDeepGemmRules};
}

}  // namespace tactus::names
