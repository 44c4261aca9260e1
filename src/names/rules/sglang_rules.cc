#include "names/readers/gemm_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"
#include "names/tokens/pieces.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kActivationFile{"sglang/sgl-kernel/csrc/elementwise/activation.cu", ""};
constexpr Launcher kRopeFile{"sglang/sgl-kernel/csrc/elementwise/rope.cu", ""};
constexpr Launcher kMoeAlign{"sglang/sgl-kernel/csrc/moe/moe_align_kernel.cu",
                             "moe_align_block_size"};
constexpr Launcher kMoeGate{"sglang/sgl-kernel/csrc/moe/moe_fused_gate.cu", "moe_fused_gate"};
constexpr Launcher kMoePrepare{"sglang/sgl-kernel/csrc/moe/prepare_moe_input.cu", ""};
constexpr Launcher kQuant{"sglang/sgl-kernel/csrc/gemm/per_token_quant_fp8.cu",
                          "sgl_per_token_quant_fp8"};
constexpr Launcher kTensorQuant{"sglang/sgl-kernel/csrc/gemm/per_tensor_quant_fp8.cu",
                                "sgl_per_tensor_quant_fp8"};
constexpr Launcher kStore{"sglang/sgl-kernel/csrc/kvcacheio/transfer.cu", ""};
constexpr Launcher kSpeculative{"sglang/sgl-kernel/csrc/speculative/eagle_utils.cu", ""};
constexpr Launcher kOverlap{"sglang/python/sglang/srt/managers/overlap_utils.py", "resolve_future"};
constexpr Launcher kMemoryPool{"sglang/python/sglang/srt/mem_cache/memory_pool.py",
                               "set_kv_buffer"};

constexpr Launcher kConcat{"sglang/sgl-kernel/csrc/elementwise/concat_mla.cu", ""};

/// Kernels that work on bf16 only.
void read_bf16(const NameTokens&, std::size_t, KernelName& name) {
  set_dtype(name, "bf16");
}

constexpr auto kRules = std::to_array<Rule>({
    {"act_and_mul_kernel sgl_hip silu", kActivation, "silu_and_mul", kActivationFile,
     "void sgl_hip::activation::act_and_mul_kernel<__hip_bfloat16, &silu<__hip_bfloat16>>(int)"},
    {"act_and_mul_kernel sgl_hip", kActivation, "act_and_mul", kActivationFile,
     "void sgl_hip::activation::act_and_mul_kernel<__hip_bfloat16, &mine<__hip_bfloat16>>(int)"},
    {"act_and_mul_kernel silu", kActivation, "silu_and_mul", kActivationFile,
     "void act_and_mul_kernel<__nv_bfloat16, &silu<float>>(__nv_bfloat16*)"},
    {"act_and_mul_kernel", kActivation, "act_and_mul", kActivationFile,
     "void act_and_mul_kernel<__nv_bfloat16, &mine<float>>(__nv_bfloat16*)"},
    {"rms_norm_kernel", kNorm, "rms_norm", kUnknown,
     "void mine::rms_norm_kernel<c10::Half>(c10::Half*)"},
    {"store_kvcache", kKvWrite, "reshape_and_cache", kMemoryPool,
     "void (anonymous namespace)::store_kvcache<2048l, 4, false, long>(StoreKVCacheParams)",
     read_nothing},
    {"store_kv_cache*", kKvWrite, "reshape_and_cache", kMemoryPool,
     "void store_kv_cache_256x1<int>(unsigned long)", read_nothing},
    {"resolve_future_token_ids_kernel", kBookkeeping, "resolve_future_token_ids", kOverlap,
     "void (anonymous namespace)::resolve_future_token_ids_kernel<long>(long*, long const*)"},
    {"transfer_kernel_impl", kCopy, "transfer_kv", kStore,
     "void transfer_kernel_impl<&get_global_offset_lf<int>, false>(void const*)", read_nothing},
    {"per_token_quant_fp8_kernel", kQuantise, "fp8_dynamic_per_token_quant", kQuant,
     "void per_token_quant_fp8_kernel<__nv_bfloat16, __nv_fp8_e4m3, 8, 16>(__nv_bfloat16 const*)"},
    {"per_token_quant_fp8_small_batch_kernel", kQuantise, "fp8_dynamic_per_token_quant", kQuant,
     "void per_token_quant_fp8_small_batch_kernel<__nv_bfloat16, __nv_fp8_e4m3, 16>(int)"},
    {"per_tensor_quant_fp8_kernel", kQuantise, "quantise_fp8", kTensorQuant,
     "void per_tensor_quant_fp8_kernel<__nv_bfloat16>(__nv_bfloat16 const*)"},
    {"per_tensor_absmax_kernel", kQuantise, "quantise_fp8", kTensorQuant,
     "void per_tensor_absmax_kernel<__nv_bfloat16>(__nv_bfloat16 const*)"},
    {"moe_fused_gate_kernel", kMoe, "grouped_topk", kMoeGate,
     "void moe_fused_gate_kernel<cutlass::bfloat16_t, 32, 256, 8, 1, 6>(void*)"},
    {"moe_fused_gate_kernel_dynamic", kMoe, "grouped_topk", kMoeGate,
     "void moe_fused_gate_kernel_dynamic<cutlass::bfloat16_t>(void*)"},
    {"moe_align_block_size_small_batch", kMoe, "moe_align", kMoeAlign,
     "void moe_align_block_size_small_batch<int>(int const*)"},
    {"compute_problem_sizes*", kMoe, "moe_prepare", kMoePrepare,
     "void compute_problem_sizes_sm90<true>(int const*)", read_nothing},
    {"compute_expert_offsets", kMoe, "moe_prepare", kMoePrepare,
     "void compute_expert_offsets(int const*, int*)", read_nothing},
    {"compute_arg_sorts", kMoe, "moe_count_and_sort", kMoePrepare,
     "void compute_arg_sorts(int const*, int*)", read_nothing},
    {"moe_sum_reduce_kernel*", kMoe, "moe_sum_reduce",
     launched_in("sglang/sgl-kernel/csrc/moe/moe_sum_reduce.cu", "moe_sum_reduce"),
     "void moe_sum_reduce_kernel_warp_token_topk<c10::BFloat16, 8>(c10::BFloat16 const*)"},
    {"MultimodalRotaryEmbedding*", kRope, "mrope", kRopeFile,
     "void MultimodalRotaryEmbedding_kernel<c10::BFloat16>(int)"},
    {"apply_shuffle_mul_sum_kernel", kMoe, "moe_sum_reduce", kMoePrepare,
     "void apply_shuffle_mul_sum_kernel<__nv_bfloat16>(__nv_bfloat16 const*, __nv_bfloat16*)"},
    {"concat_mla_absorb_q_kernel", kCopy, "cat", kConcat,
     "concat_mla_absorb_q_kernel(__nv_bfloat16*, __nv_bfloat16*, __nv_bfloat16*, int)", read_bf16},
    {"concat_mla_k_kernel", kCopy, "cat", kConcat,
     "concat_mla_k_kernel(__nv_bfloat16*, __nv_bfloat16 const*, __nv_bfloat16 const*, int)",
     read_bf16},
    {"build_tree_efficient", kSampling, "speculative_tree", kSpeculative,
     "void build_tree_efficient(long*, int*)", read_nothing},
    {"VerifyTreeGreedy", kSampling, "speculative_sample", kSpeculative,
     "void VerifyTreeGreedy<int, long>(long*)", read_nothing},
    {"TreeSpeculativeSamplingTargetOnly", kSampling, "speculative_sample",
     launched_in("sglang/sgl-kernel/csrc/speculative/speculative_sampling.cuh"),
     "void flashinfer::sampling::TreeSpeculativeSamplingTargetOnly<1024u, float>(int)"},
    {"lightning_attention_decode_kernel", kAttention, "attention_decode",
     launched_in("sglang/sgl-kernel/csrc/attention/lightning_attention_decode_kernel.cu"),
     "void lightning_attention_decode_kernel<float>(float const*)"},
    {"dsv3_router_gemm_kernel*", kMoe, "moe_router_gemm",
     perhaps_in("sglang/sgl-kernel/csrc/gemm/dsv3_router_gemm_float_out.cu"),
     "void router_gemm::dsv3_router_gemm_kernel_float_output<__nv_bfloat16, 128, 8>(float*)",
     read_router_gemm},
    {"router_gemm_kernel*", kMoe, "moe_router_gemm",
     perhaps_in("sglang/sgl-kernel/csrc/gemm/dsv3_router_gemm_float_out.cu"),
     "void router_gemm_kernel_float_output<__nv_bfloat16, 128, 8, 1, 256, 7168>(float*)",
     read_router_gemm},
    {"fused_a_gemm_kernel", kGemm, "gemm",
     launched_in("sglang/sgl-kernel/csrc/gemm/dsv3_fused_a_gemm.cu", "dsv3_fused_a_gemm"),
     "void fused_a_gemm_kernel<1, 2112, 7168, 16, 8, 256, 16>(__nv_bfloat16*)", read_bf16},
});

// rtp-llm, whose kernels descend from FasterTransformer.
constexpr Launcher kRtpNorm{"rtp-llm/rtp_llm/cpp/kernels/rmsnormKernels.cu", ""};
constexpr Launcher kRtpQk{"rtp-llm/rtp_llm/cpp/kernels/fused_qk_rmsnorm.cu",
                          "invokeFusedQkRmsNorm"};
constexpr Launcher kRtpUnfused{"rtp-llm/rtp_llm/cpp/kernels/unfused_attention_kernels.cu", "",
                               false};

constexpr auto kRtpRules = std::to_array<Rule>({
    {"fusedQkRmsNorm", kNorm, "fused_qk_rmsnorm", kRtpQk,
     "void rtp_llm::fusedQkRmsNorm<__nv_bfloat16>(__nv_bfloat16*)"},
    {"rtp_llm generalRmsNorm", kNorm, "rms_norm", kRtpNorm,
     "void rtp_llm::generalRmsNorm<__nv_bfloat16, __nv_bfloat162>(__nv_bfloat16*)"},
    {"rtp_llm generalAddBiasResidualLayerNorm", kNorm, "layer_norm", kRtpNorm,
     "void rtp_llm::generalAddBiasResidualLayerNorm<half>(half*)"},
    {"add_fusedQKV_bias_transpose_kernel", kRope, "fused_qkv_rope", kRtpUnfused,
     "void rtp_llm::add_fusedQKV_bias_transpose_kernel<__nv_bfloat16, true, false>(int)"},
    {"add_fusedQKV_bias_transpose_prefill_kernel", kRope, "fused_qkv_rope", kRtpUnfused,
     "void rtp_llm::add_fusedQKV_bias_transpose_prefill_kernel<__nv_bfloat16, true>(int)"},
    {"add_fusedQKV_bias_transpose_decode_kernel", kRope, "fused_qkv_rope", kRtpUnfused,
     "void rtp_llm::add_fusedQKV_bias_transpose_decode_kernel<__nv_bfloat16, true>(int)"},
    {"rtp_llm addBiasResidual", kElementwise, "add", kUnknown,
     "void rtp_llm::addBiasResidual<__nv_bfloat16, 1>(__nv_bfloat16*)"},
    {"embedding_lookup_kernel", kGather, "embedding",
     launched_in("rtp-llm/rtp_llm/cpp/kernels/embedding_kernels.cu", "invokeEmbeddingLookup"),
     "void rtp_llm::embedding_lookup_kernel<__nv_bfloat16, false>(__nv_bfloat16*)"},
    {"generic_activation", kActivation, "silu_and_mul",
     launched_in("rtp-llm/rtp_llm/cpp/kernels/activation_kernels.cu", "invokeGenericActivation"),
     "void rtp_llm::generic_activation<rtp_llm::SiluActivation, __nv_bfloat16>(__nv_bfloat16*)"},
    {"topk_stage_1*", kSampling, "topk", kUnknown,
     "void rtp_llm::topk_stage_1_opt3<float, 256, 8>(int)"},
    {"topk_stage_2*", kSampling, "topk", kUnknown,
     "void rtp_llm::topk_stage_2_opt3_sampling<float, 256, 8>(int)"},
});

}  // namespace

RuleTable sglang_rules() {
  return {"sglang", kRules};
}

RuleTable rtp_llm_rules() {
  return {"rtp_llm", kRtpRules};
}

}  // namespace tactus::names
