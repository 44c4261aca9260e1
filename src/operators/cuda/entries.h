#pragma once

#include "tactus/operator.h"

namespace tactus::cuda {

// One function per operator that has a CUDA kernel.
int rms_norm(const tactus_call* call);
int l2_norm(const tactus_call* call);
int fused_add_rms_norm(const tactus_call* call);
int gated_rms_norm(const tactus_call* call);
int layer_norm(const tactus_call* call);
int fused_qk_rmsnorm(const tactus_call* call);

int fp8_dynamic_per_token_quant(const tactus_call* call);
int per_token_group_quant_fp8(const tactus_call* call);
int fused_rmsnorm_quant(const tactus_call* call);

int silu_and_mul(const tactus_call* call);
int causal_conv1d(const tactus_call* call);
int moe_sum_reduce(const tactus_call* call);

int fused_qkv_rope(const tactus_call* call);
int mrope(const tactus_call* call);
int reshape_and_cache(const tactus_call* call);

int moe_align_block_size(const tactus_call* call);
int moe_count_and_sort(const tactus_call* call);
size_t slot_sort_workspace(const tactus_call* call);  ///< of both
int moe_topk_gating_softmax(const tactus_call* call);
int topk_filter(const tactus_call* call);

int linear_sigmoid_mul(const tactus_call* call);
size_t linear_sigmoid_mul_workspace(const tactus_call* call);
int block_scaled_mm(const tactus_call* call);
size_t block_scaled_mm_workspace(const tactus_call* call);

// Generic ones.
int pair_add(const tactus_call* call);
int pair_sub(const tactus_call* call);
int pair_mul(const tactus_call* call);
int pair_div(const tactus_call* call);
int plain_sum(const tactus_call* call);
int plain_mean(const tactus_call* call);
int plain_max(const tactus_call* call);
size_t reduce_workspace(const tactus_call* call);  ///< of these three
int plain_cat(const tactus_call* call);
int plain_gather(const tactus_call* call);
int plain_fill(const tactus_call* call);
int plain_silu(const tactus_call* call);
int plain_gelu(const tactus_call* call);
int plain_copy(const tactus_call* call);
int plain_cast(const tactus_call* call);
int plain_softmax(const tactus_call* call);

}  // namespace tactus::cuda
