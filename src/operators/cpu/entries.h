#pragma once

#include <array>

#include "operators/cpu/attention_kernels.h"
#include "operators/cpu/decode_attention_kernels.h"
#include "operators/cpu/delta_rule_kernels.h"
#include "operators/cpu/elementwise_kernels.h"
#include "operators/cpu/filter_kernels.h"
#include "operators/cpu/gated_update_kernels.h"
#include "operators/cpu/generic/moves.h"
#include "operators/cpu/generic/pairs.h"
#include "operators/cpu/generic/plain.h"
#include "operators/cpu/generic/reductions.h"
#include "operators/cpu/moe_kernels.h"
#include "operators/cpu/norm_kernels.h"
#include "operators/cpu/product_kernels.h"
#include "operators/cpu/quantisation_kernels.h"
#include "operators/cpu/rope_kernels.h"
#include "operators/cpu/routing_kernels.h"

namespace tactus::TACTUS_ISA {

constexpr tactus_entry entry(const char* name, int (*run)(const tactus_call*),
                             std::size_t (*workspace_bytes)(const tactus_call*) = nullptr) {
  return {name, TACTUS_CPU, run, workspace_bytes};
}

inline constexpr std::array kEntries = {
    entry("rms_norm", rms_norm),
    entry("fused_add_rms_norm", fused_add_rms_norm),
    entry("gated_rms_norm", gated_rms_norm),
    entry("l2_norm", l2_norm),
    entry("layer_norm", layer_norm),
    entry("fused_qk_rmsnorm", fused_qk_rmsnorm),
    entry("fp8_dynamic_per_token_quant", fp8_dynamic_per_token_quant),
    entry("per_token_group_quant_fp8", per_token_group_quant_fp8),
    entry("fused_rmsnorm_quant", fused_rmsnorm_quant, fused_rmsnorm_quant_workspace),
    entry("silu_and_mul", silu_and_mul),
    entry("moe_sum_reduce", moe_sum_reduce),
    entry("causal_conv1d", causal_conv1d),
    entry("fused_qkv_rope", fused_qkv_rope, rope_workspace),
    entry("mrope", mrope, rope_workspace),
    entry("reshape_and_cache", reshape_and_cache),
    entry("moe_align_block_size", moe_align_block_size, slot_counts_workspace),
    entry("moe_count_and_sort", moe_count_and_sort, slot_counts_workspace),
    entry("moe_topk_gating_softmax", moe_topk_gating_softmax, gating_workspace),
    entry("topk_filter", topk_filter, topk_filter_workspace),
    entry("block_scaled_mm", block_scaled_mm, block_scaled_mm_workspace),
    entry("linear_sigmoid_mul", linear_sigmoid_mul, linear_sigmoid_mul_workspace),
    entry("fused_moe", fused_moe, fused_moe_workspace),
    entry("fp8_blockscale_fused_moe", fp8_blockscale_fused_moe, fp8_moe_workspace),
    entry("attention_forward", attention_forward, attention_forward_workspace),
    entry("unified_attention", unified_attention, unified_attention_workspace),
    entry("paged_attention_decode", paged_attention_decode, paged_attention_decode_workspace),
    entry("mla_decode_attention", mla_decode_attention, mla_decode_attention_workspace),
    entry("chunk_delta_rule_output", chunk_delta_rule_output, chunk_delta_rule_output_workspace),
    entry("chunk_gated_delta_rule_state", chunk_gated_delta_rule_state,
          chunk_gated_delta_rule_state_workspace),
    entry("gated_delta_rule_update", gated_delta_rule_update, gated_delta_rule_update_workspace),
    entry("gemm", gemm, gemm_workspace),
    entry("add", pair_add),
    entry("sub", pair_sub),
    entry("mul", pair_mul),
    entry("div", pair_div),
    entry("sum", plain_sum),
    entry("mean", plain_mean),
    entry("max", plain_max),
    entry("cat", plain_cat),
    entry("gather", plain_gather),
    entry("fill", plain_fill),
    entry("silu", plain_silu),
    entry("gelu", plain_gelu),
    entry("copy", plain_copy),
    entry("cast", plain_cast),
    entry("softmax", plain_softmax),
    entry("attention", attention, attention_workspace),
};

}  // namespace tactus::TACTUS_ISA
