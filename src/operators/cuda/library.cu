#include "operators/cuda/entries.h"
#include "tactus/operator.h"

namespace {

using namespace tactus::cuda;

constexpr tactus_entry kEntries[] = {
    {"rms_norm", TACTUS_CUDA, rms_norm, nullptr},
    {"l2_norm", TACTUS_CUDA, l2_norm, nullptr},
    {"fused_add_rms_norm", TACTUS_CUDA, fused_add_rms_norm, nullptr},
    {"gated_rms_norm", TACTUS_CUDA, gated_rms_norm, nullptr},
    {"layer_norm", TACTUS_CUDA, layer_norm, nullptr},
    {"fused_qk_rmsnorm", TACTUS_CUDA, fused_qk_rmsnorm, nullptr},
    {"fp8_dynamic_per_token_quant", TACTUS_CUDA, fp8_dynamic_per_token_quant, nullptr},
    {"per_token_group_quant_fp8", TACTUS_CUDA, per_token_group_quant_fp8, nullptr},
    {"fused_rmsnorm_quant", TACTUS_CUDA, fused_rmsnorm_quant, nullptr},
    {"silu_and_mul", TACTUS_CUDA, silu_and_mul, nullptr},
    {"causal_conv1d", TACTUS_CUDA, causal_conv1d, nullptr},
    {"moe_sum_reduce", TACTUS_CUDA, moe_sum_reduce, nullptr},
    {"fused_qkv_rope", TACTUS_CUDA, fused_qkv_rope, nullptr},
    {"mrope", TACTUS_CUDA, mrope, nullptr},
    {"reshape_and_cache", TACTUS_CUDA, reshape_and_cache, nullptr},
    {"moe_align_block_size", TACTUS_CUDA, moe_align_block_size, slot_sort_workspace},
    {"moe_count_and_sort", TACTUS_CUDA, moe_count_and_sort, slot_sort_workspace},
    {"moe_topk_gating_softmax", TACTUS_CUDA, moe_topk_gating_softmax, nullptr},
    {"topk_filter", TACTUS_CUDA, topk_filter, nullptr},
    {"linear_sigmoid_mul", TACTUS_CUDA, linear_sigmoid_mul, linear_sigmoid_mul_workspace},
    {"block_scaled_mm", TACTUS_CUDA, block_scaled_mm, block_scaled_mm_workspace},
    {"add", TACTUS_CUDA, pair_add, nullptr},
    {"sub", TACTUS_CUDA, pair_sub, nullptr},
    {"mul", TACTUS_CUDA, pair_mul, nullptr},
    {"div", TACTUS_CUDA, pair_div, nullptr},
    {"sum", TACTUS_CUDA, plain_sum, reduce_workspace},
    {"mean", TACTUS_CUDA, plain_mean, reduce_workspace},
    {"max", TACTUS_CUDA, plain_max, reduce_workspace},
    {"cat", TACTUS_CUDA, plain_cat, nullptr},
    {"gather", TACTUS_CUDA, plain_gather, nullptr},
    {"fill", TACTUS_CUDA, plain_fill, nullptr},
    {"silu", TACTUS_CUDA, plain_silu, nullptr},
    {"gelu", TACTUS_CUDA, plain_gelu, nullptr},
    {"copy", TACTUS_CUDA, plain_copy, nullptr},
    {"cast", TACTUS_CUDA, plain_cast, nullptr},
    {"softmax", TACTUS_CUDA, plain_softmax, nullptr},
};

constexpr tactus_library_v1 kLibrary = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "cuda",
                                        kEntries, sizeof kEntries / sizeof kEntries[0]};

}  // namespace

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  return &kLibrary;
}
