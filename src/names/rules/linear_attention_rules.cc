#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

// Triton kernels of linear attention and state-space models, most of them from
// flash-linear-attention and mamba, as vLLM and SGLang carry them.
constexpr Launcher kConvFile{"vllm/vllm/model_executor/layers/mamba/ops/causal_conv1d.py", "",
                             false};
constexpr Launcher kDeltaH{"vllm/vllm/model_executor/layers/fla/ops/chunk_delta_h.py",
                           "chunk_gated_delta_rule_fwd_h", false};
constexpr Launcher kChunkO{"vllm/vllm/model_executor/layers/fla/ops/chunk_o.py", "chunk_fwd_o",
                           false};
constexpr Launcher kKkt{"vllm/vllm/model_executor/layers/fla/ops/chunk_scaled_dot_kkt.py",
                        "chunk_scaled_dot_kkt_fwd", false};
constexpr Launcher kRecurrent{"vllm/vllm/model_executor/layers/fla/ops/fused_recurrent.py",
                              "fused_recurrent_gated_delta_rule_fwd", false};
constexpr Launcher kSolve{"vllm/vllm/model_executor/layers/fla/ops/solve_tril.py", "solve_tril",
                          false};
constexpr Launcher kWy{"vllm/vllm/model_executor/layers/fla/ops/wy_fast.py", "recompute_w_u_fwd",
                       false};
constexpr Launcher kCumsum{"vllm/vllm/model_executor/layers/fla/ops/cumsum.py",
                           "chunk_local_cumsum", false};
constexpr Launcher kL2{"vllm/vllm/model_executor/layers/fla/ops/l2norm.py", "l2norm_fwd", false};
constexpr Launcher kGatedNorm{"vllm/vllm/model_executor/layers/fla/ops/layernorm_guard.py", "",
                              false};
constexpr Launcher kGating{"vllm/vllm/model_executor/models/qwen3_next.py", "fused_gdn_gating",
                           false};
constexpr Launcher kSsd{"vllm/vllm/model_executor/layers/mamba/ops/ssd_combined.py",
                        "mamba_chunk_scan_combined", false};
constexpr Launcher kSsm{"vllm/vllm/model_executor/layers/mamba/ops/mamba_ssm.py",
                        "selective_state_update", false};

constexpr auto kRules = std::to_array<Rule>({
    {"_causal_conv1d_fwd_kernel*", kConv, "causal_conv1d", kConvFile, "_causal_conv1d_fwd_kernel"},
    {"_causal_conv1d_update_kernel*", kConv, "causal_conv1d", kConvFile,
     "_causal_conv1d_update_kernel"},
    {"causal_conv1d*", kConv, "causal_conv1d", kConvFile, "causal_conv1d_something"},
    {"chunk_gated_delta_rule_fwd_kernel_h*", kAttention, "chunk_gated_delta_rule_state", kDeltaH,
     "chunk_gated_delta_rule_fwd_kernel_h_blockdim64"},
    {"chunk_fwd_kernel_o", kAttention, "chunk_delta_rule_output", kChunkO, "chunk_fwd_kernel_o"},
    {"chunk_scaled_dot_kkt_fwd_kernel", kAttention, "chunk_scaled_dot_kkt", kKkt,
     "chunk_scaled_dot_kkt_fwd_kernel"},
    {"chunk_gated_delta_rule*", kAttention, "chunk_gated_delta_rule", kDeltaH,
     "chunk_gated_delta_rule_fwd"},
    {"fused_recurrent_gated_delta_rule*", kAttention, "gated_delta_rule_update", kRecurrent,
     "fused_recurrent_gated_delta_rule_fwd_kernel"},
    {"fused_sigmoid_gating_delta_rule_update_kernel", kAttention, "gated_delta_rule_update",
     launched_in("sglang/python/sglang/srt/layers/attention/fla/fused_sigmoid_gating_recurrent.py",
                 "fused_sigmoid_gating_delta_rule_update"),
     "fused_sigmoid_gating_delta_rule_update_kernel"},
    {"fused_gdn_gating_kernel", kElementwise, "gdn_gating", kGating, "fused_gdn_gating_kernel"},
    {"fused_qkvzba_split_reshape_cat*", kCopy, "split", kUnknown,
     "fused_qkvzba_split_reshape_cat_kernel"},
    {"merge_16x16_to_64x64_inverse_kernel", kAttention, "solve_tril", kSolve,
     "merge_16x16_to_64x64_inverse_kernel"},
    {"merge_16x16_to_32x32_inverse_kernel", kAttention, "solve_tril", kSolve,
     "merge_16x16_to_32x32_inverse_kernel"},
    {"solve_tril_16x16_kernel", kAttention, "solve_tril", kSolve, "solve_tril_16x16_kernel"},
    {"recompute_w_u_fwd_kernel", kAttention, "recompute_w_u", kWy, "recompute_w_u_fwd_kernel"},
    {"chunk_local_cumsum*", kScan, "inclusive_scan", kCumsum, "chunk_local_cumsum_scalar_kernel"},
    {"l2norm_fwd_kernel2", kNorm, "l2_norm", kL2, "l2norm_fwd_kernel2"},
    {"l2norm_fwd_kernel1", kNorm, "l2_norm", kL2, "l2norm_fwd_kernel1"},
    {"layer_norm_fwd_kernel", kNorm, "gated_rms_norm", kGatedNorm, "layer_norm_fwd_kernel"},
    {"layer_norm_gated_fwd_kernel*", kNorm, "gated_rms_norm", kGatedNorm,
     "layer_norm_gated_fwd_kernel"},
    {"_chunk_cumsum_fwd_kernel", kScan, "inclusive_scan", kSsd, "_chunk_cumsum_fwd_kernel"},
    {"_chunk_state_fwd_kernel", kScan, "mamba_chunk_state", kSsd, "_chunk_state_fwd_kernel"},
    {"_chunk_state_varlen_kernel", kScan, "mamba_chunk_state", kSsd, "_chunk_state_varlen_kernel"},
    {"_state_passing_fwd_kernel", kScan, "mamba_state_passing", kSsd, "_state_passing_fwd_kernel"},
    {"_bmm_chunk_fwd_kernel", kScan, "mamba_chunk_bmm", kSsd, "_bmm_chunk_fwd_kernel"},
    {"_chunk_scan_fwd_kernel", kScan, "mamba_chunk_scan", kSsd, "_chunk_scan_fwd_kernel"},
    {"_selective_scan_update_kernel", kScan, "selective_scan", kSsm,
     "_selective_scan_update_kernel"},
    {"_linear_attn_decode_kernel", kAttention, "attention_decode",
     launched_in("vllm/vllm/model_executor/layers/lightning_attn.py",
                 "linear_decode_forward_triton"),
     "_linear_attn_decode_kernel"},
    {"_fwd_diag_kernel", kAttention, "attention_prefill",
     launched_in("vllm/vllm/model_executor/layers/lightning_attn.py", "lightning_attention"),
     "_fwd_diag_kernel"},
    {"_fwd_kv_parallel", kAttention, "attention_prefill",
     launched_in("vllm/vllm/model_executor/layers/lightning_attn.py", "lightning_attention"),
     "_fwd_kv_parallel"},
});

}  // namespace

RuleTable triton_linear_attention_rules() {
  return {"triton", kRules};
}

}  // namespace tactus::names
