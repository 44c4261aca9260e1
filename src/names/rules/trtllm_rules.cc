#include "names/readers/attention_readers.h"
#include "names/readers/gemm_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"
#include "names/tokens/pieces.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kFmhaRunner{"flashinfer/include/flashinfer/trtllm/fmha/fmhaKernels.cuh", "run"};
constexpr Launcher kBatchedGemm{"flashinfer/csrc/trtllm_batched_gemm_runner.cu", "run"};
constexpr Launcher kGemmRunner{"flashinfer/csrc/trtllm_gemm_runner.cu", "run"};
constexpr Launcher kRouting{"flashinfer/csrc/trtllm_fused_moe_routing_renormalize.cu", "run",
                            false};
constexpr Launcher kMoeDev{"flashinfer/csrc/trtllm_fused_moe_dev_kernel.cu", "run"};
constexpr Launcher kQuantisation{"flashinfer/csrc/nv_internal/tensorrt_llm/kernels/quantization.cu",
                                 "", false};
constexpr Launcher kMoeCutlass{
    "flashinfer/csrc/fused_moe/cutlass_backend/cutlass_fused_moe_kernels.cuh", "", false};
constexpr Launcher kMmha{
    "TensorRT-LLM/cpp/tensorrt_llm/kernels/decoderMaskedMultiheadAttention/"
    "decoderMaskedMultiheadAttentionLaunch.h",
    "mmha_launch_kernel"};

/// weight_only::kernel<KernelDetails<FP16DetailsA, ...>, ...>
void read_weight_only(const NameTokens& tokens, std::size_t, KernelName& name) {
  if (tokens.find("FP16DetailsA") != tokens.size()) set_dtype(name, "fp16");
  if (tokens.find("BF16DetailsA") != tokens.size()) set_dtype(name, "bf16");
}

/// cudaCoreGemmKernel<input, output, ...>
void read_in_out(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.dtype_in = args.dtype(0);
  name.dtype_out = args.dtype(1);
}

constexpr auto kRules = std::to_array<Rule>({
    {"fmhaSm100aKernel*", kAttention, "attention", kFmhaRunner,
     "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
     read_trtllm_fmha},
    {"fmhaSm100fKernel*", kAttention, "attention", kFmhaRunner,
     "fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvDenseP32MultiCtasKvVarSeqQ8Kv128StaticSwapsAb"
     "ForGeneration",
     read_trtllm_fmha},
    {"fmhaSm103aKernel*", kAttention, "attention", kFmhaRunner,
     "fmhaSm103aKernel_QkvE4m3OE4m3H128PagedKvCausalP32VarSeqQ128Kv128PersistentContext",
     read_trtllm_fmha},
    {"fmhaReductionKernel", kAttentionCombine, "attention_combine",
     launched_in("flashinfer/csrc/fmhaReduction.cu", "runFmhaReduction"),
     "void fmhaReductionKernel<64, 128, false, __nv_bfloat16>(KernelParams, bool)"},
    {"fmha_v2*", kAttention, "attention_prefill", kUnknown,
     "fmha_v2_flash_attention_bf16_64_128_S_q_paged_kv_128_causal_sm90_kernel_nl_tiled",
     read_piece_dtype},
    {"masked_multihead_attention_kernel", kAttention, "attention_decode", kMmha,
     "void tensorrt_llm::kernels::mmha::masked_multihead_attention_kernel<unsigned short, int, "
     "128>(int)"},
    {"bmm*", kMoe, "moe_gemm", kBatchedGemm,
     "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_rM_TN",
     read_trtllm_bmm},
    {"gemm_Bfloat16*", kGemm, "gemm", kGemmRunner,
     "gemm_Bfloat16_E4m3E4m3_Fp32_t128x64x128_s4_et128x64_m128x64x32_cga1x1x1_sm100f",
     read_trtllm_bmm},
    {"gemm_E4m3*", kGemm, "gemm", kGemmRunner,
     "gemm_E4m3_E4m3E4m3_Fp32_t128x64x128_s4_et128x64_m128x64x32_cga1x1x1_sm100f", read_trtllm_bmm},
    {"finalizeKernelVecLoad", kMoe, "moe_sum_reduce", kMoeDev,
     "void moe::dev::finalize::finalizeKernelVecLoad<moe::dev::finalize::KernelParams<"
     "cutlass::bfloat16_t, cutlass::bfloat16_t, 4, true>>(int)"},
    {"finalizeKernel", kMoe, "moe_sum_reduce", kMoeDev,
     "void moe::dev::finalize::finalizeKernel<KernelParams<cutlass::bfloat16_t>>(int)"},
    {"finalizeDeepSeekKernel", kMoe, "moe_sum_reduce", kMoeDev,
     "void moe::dev::finalize::finalizeDeepSeekKernel<KernelParams<cutlass::bfloat16_t>>(int)"},
    {"activationDeepSeekKernel", kMoe, "silu_and_mul", kMoeDev,
     "void moe::dev::activation::activationDeepSeekKernel<KernelParams<cutlass::bfloat16_t>>(int)"},
    {"permuteKernel moe", kMoe, "moe_permute", kMoeDev,
     "void moe::dev::permute::permuteKernel<KernelParams<cutlass::bfloat16_t>>(int)"},
    {"routingIndicesHistogramScoresKernel", kMoe, "moe_topk_gating_softmax", kRouting,
     "void moe::dev::routing::routingRenormalize::routingIndicesHistogramScoresKernel<"
     "KernelParams<__nv_bfloat16>>(int)"},
    {"routingIndicesHistogramKernel", kMoe, "moe_count_and_sort", kRouting,
     "void moe::dev::routing::routingIndicesHistogramKernel<KernelParams<__nv_bfloat16>>(int)"},
    {"routingIndicesOffsetsKernel", kMoe, "moe_count_and_sort", kRouting,
     "void moe::dev::routing::routingIndicesOffsetsKernel<KernelParams<__nv_bfloat16>>(int)"},
    {"routingIndicesClusterKernel", kMoe, "moe_count_and_sort", kRouting,
     "void moe::dev::routing::routingIndicesClusterKernel<KernelParams<__nv_bfloat16>>(int)"},
    {"routingIndicesCoopKernel", kMoe, "moe_count_and_sort", kRouting,
     "void moe::dev::routing::routingIndicesCoopKernel<KernelParams<__nv_bfloat16>>(int)"},
    {"routingIndicesBlockKernel", kMoe, "moe_count_and_sort", kRouting,
     "void moe::dev::routing::routingIndicesBlockKernel<KernelParams<__nv_bfloat16>>(int)"},
    {"routingMainKernel", kMoe, "grouped_topk", kRouting,
     "void moe::dev::routing::routingDeepSeek::routingMainKernel<KernelParams<float>>(int)"},
    {"routingInitExpertCounts", kMoe, "moe_count_and_sort", kRouting,
     "void moe::dev::routing::routingInitExpertCounts<KernelParams<float>>(int)"},

    {"quantize_with_block_size", kQuantise, "quantise_block", kQuantisation,
     "void tensorrt_llm::kernels::quantize_with_block_size<"
     "(tensorrt_llm::BlockScaleQuantizationType)2, __nv_bfloat16, 32, true>(int)"},
    {"cvt_fp16_to_fp4*", kQuantise, "quantise_fp4", kQuantisation,
     "void tensorrt_llm::kernels::cvt_fp16_to_fp4<__nv_bfloat16, false>(int)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       read_dtype(tokens, at, name);
       name.dtype_out = "fp4";
     }},
    {"block_scale_interleave_kernel", kQuantise, "interleave_scales", kQuantisation,
     "void tensorrt_llm::kernels::block_scale_interleave_kernel(int)"},
    {"perTokenQuantization", kQuantise, "fp8_dynamic_per_token_quant", kQuantisation,
     "void tensorrt_llm::kernels::perTokenQuantization<__nv_fp8_e4m3, half>(int)"},
    {"expandInputRowsKernel", kMoe, "moe_permute", kMoeCutlass,
     "void tensorrt_llm::kernels::cutlass_kernels::expandInputRowsKernel<half, half, 0>(int)"},
    {"finalizeMoeRoutingKernel", kMoe, "moe_sum_reduce", kMoeCutlass,
     "void tensorrt_llm::kernels::cutlass_kernels::finalizeMoeRoutingKernel<half, half, "
     "half>(int)"},
    {"doActivationKernel", kMoe, "silu_and_mul", kMoeCutlass,
     "void tensorrt_llm::kernels::cutlass_kernels::doActivationKernel<half, half>(int)"},
    {"doGatedActivationKernel", kMoe, "silu_and_mul", kMoeCutlass,
     "void tensorrt_llm::kernels::cutlass_kernels::doGatedActivationKernel<half, half>(int)"},
    {"computeStridesTmaWarpSpecializedKernel", kMoe, "moe_prepare", kMoeCutlass,
     "void tensorrt_llm::kernels::cutlass_kernels::computeStridesTmaWarpSpecializedKernel<half>("
     "int)"},
    {"fusedBuildExpertMapsSortFirstTokenKernel", kMoe, "moe_count_and_sort", kMoeCutlass,
     "void tensorrt_llm::kernels::cutlass_kernels::fusedBuildExpertMapsSortFirstTokenKernel<32, 8, "
     "4>(int)"},
    {"MoeFCGemm", kMoe, "moe_gemm", kMoeCutlass,
     "void cutlass::MoeFCGemm<cutlass::gemm::threadblock::DqMmaMultistage<int>, half>(int)"},
    {"invokeRMSNorm*", kNorm, "rms_norm", kUnknown,
     "void tensorrt_llm::invokeRMSNorm<half>(half*)"},
    {"generalRmsNorm", kNorm, "rms_norm",
     launched_in("TensorRT-LLM/cpp/tensorrt_llm/kernels/rmsnormKernels.cu", "invokeGeneralRmsNorm"),
     "void tensorrt_llm::kernels::generalRmsNorm<half, __half2, half>(half*)"},
    {"generalLayerNorm", kNorm, "layer_norm",
     launched_in("TensorRT-LLM/cpp/tensorrt_llm/kernels/layernormKernels.cu",
                 "invokeGeneralLayerNorm"),
     "void tensorrt_llm::kernels::generalLayerNorm<half, __half2, half>(half*)"},
    {"applyBiasRopeUpdateKVCacheV2", kRope, "fused_qkv_rope",
     launched_in("TensorRT-LLM/cpp/tensorrt_llm/kernels/unfusedAttentionKernels.cu",
                 "invokeQKVPreprocessing"),
     "void tensorrt_llm::kernels::applyBiasRopeUpdateKVCacheV2<half, half, 128>(int)"},
    {"applyBiasRopeUpdateKVCache", kRope, "fused_qkv_rope",
     launched_in("TensorRT-LLM/cpp/tensorrt_llm/kernels/unfusedAttentionKernels.cu",
                 "invokeQKVPreprocessing"),
     "void tensorrt_llm::kernels::applyBiasRopeUpdateKVCache<half, half, 128>(int)"},
    {"XQA*", kAttention, "attention_decode", kUnknown, "XQA_kernel_mt", read_nothing},
    {"kernel_mha", kAttention, "attention_decode",
     launched_in("flashinfer/csrc/xqa/mha.cu", "launchMHA"), "kernel_mha(unsigned int, float)",
     read_nothing},
    {"weight_only kernel", kGemv, "gemv",
     launched_in("TensorRT-LLM/cpp/tensorrt_llm/kernels/weightOnlyBatchedGemv/kernelDispatcher.h"),
     "void tensorrt_llm::kernels::weight_only::kernel<tensorrt_llm::kernels::weight_only::"
     "KernelDetails<tensorrt_llm::kernels::weight_only::FP16DetailsA>, 1, 4, 128, 128>(int)",
     read_weight_only},
    {"cudaCoreGemmKernel", kGemv, "gemv", kUnknown,
     "void tensorrt_llm::kernels::cuda_core_gemm::cudaCoreGemmKernel<__nv_fp8_e4m3, "
     "__nv_bfloat16, 2, 2, 256>(int)",
     read_in_out},
    {"deepseek_v3_topk_kernel", kMoe, "grouped_topk", kUnknown,
     "void tensorrt_llm::kernels::deepseek_v3_topk_kernel<float, __nv_bfloat16, float, int, "
     "256>(int)"},
    {"weight_only_batched_gemv*", kGemv, "gemv", kUnknown,
     "void tensorrt_llm::kernels::weight_only::weight_only_batched_gemv<half, 8>(half*)"},
});

}  // namespace

RuleTable trtllm_rules() {
  return {"tensorrt_llm", kRules, "fp16"};
}

}  // namespace tactus::names
