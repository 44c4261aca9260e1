#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kNormFile{"vllm/csrc/layernorm_kernels.cu", "rms_norm"};
constexpr Launcher kAddNormFile{"vllm/csrc/layernorm_kernels.cu", "fused_add_rms_norm"};
constexpr Launcher kNormQuant{"vllm/csrc/layernorm_quant_kernels.cu", ""};
constexpr Launcher kActivationFile{"vllm/csrc/activation_kernels.cu", ""};
constexpr Launcher kRopeFile{"vllm/csrc/pos_encoding_kernels.cu", "rotary_embedding"};
constexpr Launcher kCache{"vllm/csrc/cache_kernels.cu", ""};
constexpr Launcher kPagedV1{"vllm/csrc/attention/paged_attention_v1.cu", "paged_attention_v1"};
constexpr Launcher kPagedV2{"vllm/csrc/attention/paged_attention_v2.cu", "paged_attention_v2"};
constexpr Launcher kMergeFile{"vllm/csrc/attention/merge_attn_states.cu", "merge_attn_states"};
constexpr Launcher kMoeAlign{"vllm/csrc/moe/moe_align_sum_kernels.cu", "moe_align_block_size"};
constexpr Launcher kMoeSum{"vllm/csrc/moe/moe_align_sum_kernels.cu", "moe_sum"};
constexpr Launcher kTopk{"vllm/csrc/moe/topk_softmax_kernels.cu", "topk_softmax"};
constexpr Launcher kGroupedTopk{"vllm/csrc/moe/grouped_topk_kernels.cu", "grouped_topk"};
constexpr Launcher kPermute{"vllm/csrc/moe/moe_permute_unpermute_op.cu", ""};
constexpr Launcher kScanFile{"vllm/csrc/mamba/mamba_ssm/selective_scan_fwd.cu",
                             "selective_scan_fwd"};
constexpr Launcher kSampler{"vllm/csrc/sampler.cu", ""};

/// vllm::fused_add_rms_norm_kernel<T, width>
void read_norm(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_dtype(tokens, at, name);
  const std::optional<int> width = TemplateArgs(tokens, at).number(1);
  if (width && *width > 0) name.vector_width = width;
}

constexpr auto kRules = std::to_array<Rule>({
    {"fused_add_rms_norm_kernel", kNorm, "add_rms_norm", kAddNormFile,
     "std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::Half>::exists, void>::type "
     "vllm::fused_add_rms_norm_kernel<c10::Half, 8>(c10::Half*, c10::Half*, float, int, int)",
     read_norm},
    {"rms_norm_kernel vllm", kNorm, "rms_norm", kNormFile,
     "void vllm::rms_norm_kernel<c10::Half>(c10::Half*, c10::Half const*, float, int, int)",
     read_norm},
    {"poly_norm_kernel", kNorm, "poly_norm", kNormFile,
     "void vllm::poly_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*)", read_norm},
    {"fused_add_rms_norm_static_fp8_quant_kernel", kNorm, "fused_rmsnorm_quant", kNormQuant,
     "void vllm::fused_add_rms_norm_static_fp8_quant_kernel<c10::BFloat16, 8, "
     "c10::Float8_e4m3fn>(int)"},
    {"rms_norm_static_fp8_quant_kernel", kNorm, "fused_rmsnorm_quant", kNormQuant,
     "void vllm::rms_norm_static_fp8_quant_kernel<c10::BFloat16, c10::Float8_e4m3fn>(int)"},
    {"rms_norm_dynamic_per_token_quant_kernel", kNorm, "fused_rmsnorm_quant",
     launched_in("vllm/csrc/quantization/fused_kernels/fused_layernorm_dynamic_per_token_quant.cu"),
     "void vllm::rms_norm_dynamic_per_token_quant_kernel<c10::BFloat16, c10::Float8_e4m3fn>(int)"},
    {"rms_norm_per_block_quant_kernel", kNorm, "fused_rmsnorm_quant",
     launched_in("vllm/csrc/quantization/fused_kernels/fused_layernorm_dynamic_per_token_quant.cu"),
     "void vllm::rms_norm_per_block_quant_kernel<c10::BFloat16, c10::Float8_e4m3fn>(int)"},
    {"fusedQKNormRopeKernel", kRope, "fused_qk_rmsnorm",
     perhaps_in("vllm/csrc/fused_qknorm_rope_kernel.cu", "fused_qk_norm_rope"),
     "void tensorrt_llm::kernels::fusedQKNormRopeKernel<c10::BFloat16, 128, true>(void*, int)"},

    {"act_and_mul_kernel vllm silu_kernel", kActivation, "silu_and_mul", kActivationFile,
     "void vllm::act_and_mul_kernel<c10::Half, &(c10::Half vllm::silu_kernel<c10::Half>(c10::Half "
     "const&)), true>(c10::Half*, c10::Half const*, int)"},
    {"act_and_mul_kernel vllm packed_silu_kernel", kActivation, "silu_and_mul", kActivationFile,
     "void vllm::act_and_mul_kernel<c10::Half, float2, &(vllm::packed_silu_kernel<float2>), true>("
     "int)"},
    {"act_and_mul_kernel vllm gelu_tanh_kernel", kActivation, "gelu_tanh_and_mul", kActivationFile,
     "void vllm::act_and_mul_kernel<c10::Half, &(vllm::gelu_tanh_kernel<c10::Half>), true>(int)"},
    {"act_and_mul_kernel vllm gelu_kernel", kActivation, "gelu_and_mul", kActivationFile,
     "void vllm::act_and_mul_kernel<c10::Half, &(vllm::gelu_kernel<c10::Half>), true>(int)"},
    {"act_and_mul_kernel vllm", kActivation, "act_and_mul", kActivationFile,
     "void vllm::act_and_mul_kernel<c10::Half, &(vllm::mine<c10::Half>), true>(int)"},
    {"activation_kernel vllm", kActivation, "activation", kActivationFile,
     "void vllm::activation_kernel<c10::Half, &(vllm::gelu_new_kernel<c10::Half>)>(c10::Half*)"},
    {"swigluoai_and_mul_kernel", kActivation, "silu_and_mul", kActivationFile,
     "void vllm::swigluoai_and_mul_kernel<c10::BFloat16, &vllm::swigluoai_and_mul<c10::BFloat16>>("
     "int)"},
    {"act_and_mul_quant_kernel", kActivation, "silu_and_mul_quant",
     launched_in("vllm/csrc/quantization/activation_kernels.cu"),
     "void vllm::act_and_mul_quant_kernel<c10::BFloat16, &vllm::silu_kernel<c10::BFloat16>, "
     "c10::Float8_e4m3fn>(int)"},

    {"rotary_embedding_kernel", kRope, "rope", kRopeFile,
     "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*)"},
    {"batched_rotary_embedding_kernel", kRope, "rope", kRopeFile,
     "void vllm::batched_rotary_embedding_kernel<c10::BFloat16, true>(long const*)"},

    {"reshape_and_cache_flash_kernel", kKvWrite, "reshape_and_cache", kCache,
     "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char, "
     "(vllm::Fp8KVCacheDataType)1>(__nv_bfloat16 const*, long const*)"},
    {"reshape_and_cache_kernel", kKvWrite, "reshape_and_cache", kCache,
     "void vllm::reshape_and_cache_kernel<unsigned short, unsigned short, "
     "(vllm::Fp8KVCacheDataType)0>(unsigned short const*)"},
    {"concat_and_cache_mla_kernel", kKvWrite, "concat_and_cache_mla", kCache,
     "void vllm::concat_and_cache_mla_kernel<__nv_bfloat16, __nv_bfloat16, "
     "(vllm::Fp8KVCacheDataType)0>(int)"},
    {"concat_and_cache_ds_mla_kernel", kKvWrite, "concat_and_cache_mla", kCache,
     "void vllm::concat_and_cache_ds_mla_kernel<__nv_bfloat16, unsigned char>(int)"},
    {"indexer_k_quant_and_cache_kernel", kKvWrite, "reshape_and_cache", kCache,
     "void vllm::indexer_k_quant_and_cache_kernel<__nv_bfloat16, unsigned char>(int)"},
    {"copy_blocks_kernel", kCopy, "copy_blocks", kCache,
     "void vllm::copy_blocks_kernel<c10::BFloat16>(long*, long*, long const*, int)"},
    {"gather_cache", kGather, "gather", kCache,
     "void vllm::gather_cache<unsigned short>(unsigned short const*)"},
    {"gather_and_maybe_dequant_cache", kGather, "gather", kCache,
     "void vllm::gather_and_maybe_dequant_cache<float, float>(float const*)"},
    {"cp_gather_indexer_k_quant_cache_kernel", kGather, "gather", kCache,
     "void vllm::cp_gather_indexer_k_quant_cache_kernel<4>(char const*)"},
    {"convert_fp8_kernel", kQuantise, "quantise_fp8", kCache,
     "void vllm::convert_fp8_kernel<unsigned char, float>(float const*)"},

    {"paged_attention_v1_kernel", kAttention, "attention_decode", kPagedV1,
     "void vllm::paged_attention_v1_kernel<unsigned short, unsigned short, 128, 16, 128>(int)"},
    {"paged_attention_v2_kernel", kAttention, "attention_decode", kPagedV2,
     "void vllm::paged_attention_v2_kernel<unsigned short, unsigned short, 128, 16, 128>(int)"},
    {"paged_attention_v2_reduce_kernel", kAttentionCombine, "attention_combine", kPagedV2,
     "void vllm::paged_attention_v2_reduce_kernel<unsigned short, 128, 128, 512>(int)"},
    {"merge_attn_states_kernel", kAttentionCombine, "attention_combine", kMergeFile,
     "void vllm::merge_attn_states_kernel<unsigned short, 128>(unsigned short*, float*)"},

    {"moe_align_block_size_kernel", kMoe, "moe_align", kMoeAlign,
     "void vllm::moe::moe_align_block_size_kernel<int>(int const*, int*)"},
    {"moe_align_block_size_small_batch_expert_kernel", kMoe, "moe_align", kMoeAlign,
     "void vllm::moe::moe_align_block_size_small_batch_expert_kernel<int>(int const*, int*)"},
    {"count_and_sort_expert_tokens_kernel", kMoe, "moe_count_and_sort", kMoeAlign,
     "void vllm::moe::count_and_sort_expert_tokens_kernel<int>(int const*, int*)"},
    {"moe_sum_kernel", kMoe, "moe_sum_reduce", kMoeSum,
     "void vllm::moe::moe_sum_kernel<c10::BFloat16, 8>(c10::BFloat16*)"},
    {"topkGatingSoftmax", kMoe, "moe_topk_gating_softmax", kTopk,
     "void vllm::moe::topkGatingSoftmax<4, 128, 4, 16, 32, int>(float const*)"},
    {"topkGating", kMoe, "moe_topk_gating_softmax", kTopk,
     "void vllm::moe::topkGating<4, 128, 4, 16, 32, int, __nv_bfloat16>(float const*)"},
    {"moeSoftmax", kMoe, "moe_topk_gating_softmax", kTopk,
     "void vllm::moe::moeSoftmax<256>(float const*, bool const*, float*, int)"},
    {"moeTopK", kMoe, "moe_topk_gating_softmax", kTopk,
     "void vllm::moe::moeTopK<256, int>(float const*, bool const*)"},
    {"grouped_topk_fused_kernel", kMoe, "grouped_topk", kGroupedTopk,
     "void vllm::moe::grouped_topk_fused_kernel<float, int>(float*, float*)"},
    {"group_idx_and_topk_idx_kernel", kMoe, "grouped_topk", kGroupedTopk,
     "void vllm::moe::group_idx_and_topk_idx_kernel<float, int>(float*, float*)"},
    {"topk_with_k2_kernel", kMoe, "grouped_topk", kGroupedTopk,
     "void vllm::moe::topk_with_k2_kernel<float, int>(float*, float*)"},
    {"shuffleInputRowsKernel", kMoe, "moe_permute", kPermute,
     "void shuffleInputRowsKernel<c10::BFloat16>(c10::BFloat16*)"},

    {"selective_scan_fwd_kernel", kScan, "selective_scan", kScanFile,
     "void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<64, 16, 1, true, "
     "c10::BFloat16>>(SSMParamsBase)"},
    {"causal_conv1d_fwd_kernel", kConv, "causal_conv1d",
     perhaps_in("causal-conv1d/csrc/causal_conv1d_fwd.cu", "causal_conv1d_fwd_launch"),
     "void causal_conv1d_fwd_kernel<Causal_conv1d_fwd_kernel_traits<128, 4, true, "
     "c10::BFloat16>>(ConvParamsBase)"},
    {"causal_conv1d_update_kernel", kConv, "causal_conv1d",
     perhaps_in("causal-conv1d/csrc/causal_conv1d_update.cu", "causal_conv1d_update_launch"),
     "void causal_conv1d_update_kernel<Causal_conv1d_update_kernel_traits<64, 4, c10::BFloat16>, "
     "false>(ConvParamsBase)"},
    {"causal_conv1d_channellast_fwd_kernel", kConv, "causal_conv1d",
     perhaps_in("causal-conv1d/csrc/causal_conv1d_fwd.cu", "causal_conv1d_channellast_fwd_launch"),
     "void causal_conv1d_channellast_fwd_kernel<traits<128, 4, c10::BFloat16>, false>(int)"},
    {"apply_repetition_penalties_kernel", kSampling, "penalty", kSampler,
     "void vllm::apply_repetition_penalties_kernel<float>(float*, bool const*)"},
    {"topKPerRowDecode", kSampling, "topk", kSampler,
     "void vllm::topKPerRowDecode<512, true>(float const*, int const*)"},
    {"topKPerRowPrefill", kSampling, "topk", kSampler,
     "void vllm::topKPerRowPrefill<512, true>(float const*, int const*)"},
});

}  // namespace

RuleTable vllm_rules() {
  return {"vllm", kRules, "fp16"};
}

}  // namespace tactus::names
