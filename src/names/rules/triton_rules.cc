#include "names/readers/gemm_readers.h"
#include "names/readers/quantised_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

// A hand-written Triton kernel has only its identifier, so one name can come from several projects.
constexpr Launcher kForwardBatch{"sglang/python/sglang/srt/model_executor/forward_batch_info.py",
                                 "compute_position_triton"};
constexpr Launcher kClamp{"sglang/python/sglang/srt/model_executor/forward_batch_info.py",
                          "clamp_position"};
constexpr Launcher kAttentionUtils{"sglang/python/sglang/srt/layers/attention/utils.py", ""};
constexpr Launcher kMemCommon{"sglang/python/sglang/srt/mem_cache/common.py", ""};
constexpr Launcher kUnified{"vllm/vllm/attention/ops/triton_unified_attention.py",
                            "unified_attention"};
constexpr Launcher kDecodeAttention{
    "sglang/python/sglang/srt/layers/attention/triton_ops/decode_attention.py", "", false};
constexpr Launcher kExtend{
    "sglang/python/sglang/srt/layers/attention/triton_ops/extend_attention.py", "", false};
constexpr Launcher kPrefixPrefill{"vllm/vllm/attention/ops/prefix_prefill.py",
                                  "context_attention_fwd", false};
constexpr Launcher kFusedMoe{"vllm/vllm/model_executor/layers/fused_moe/fused_moe.py",
                             "invoke_fused_moe_kernel", false};
constexpr Launcher kFp8Kernel{"sglang/python/sglang/srt/layers/quantization/fp8_kernel.py", "",
                              false};
constexpr Launcher kMatmulOgs{"triton/python/triton_kernels/triton_kernels/matmul_ogs.py",
                              "matmul_ogs"};
constexpr Launcher kRouting{"triton/python/triton_kernels/triton_kernels/routing.py", "routing"};
constexpr Launcher kTopk{"triton/python/triton_kernels/triton_kernels/topk.py", "topk"};
constexpr Launcher kRejection{"vllm/vllm/v1/sample/rejection_sampler.py", "rejection_sample"};
constexpr Launcher kLora{};  // one file each, in vllm/lora/ops/triton_ops

void read_fp8(const NameTokens&, std::size_t, KernelName& name) {
  name.dtype_in = "fp8";
}

constexpr auto kRules = std::to_array<Rule>({
    {"write_req_to_token_pool_triton", kBookkeeping, "write_req_to_token_pool", kMemCommon,
     "write_req_to_token_pool_triton"},
    {"get_last_loc_kernel", kBookkeeping, "get_last_loc", kMemCommon, "get_last_loc_kernel"},
    {"alloc_extend_kernel", kBookkeeping, "alloc_pages",
     launched_in("sglang/python/sglang/srt/mem_cache/allocator.py", "alloc_extend"),
     "alloc_extend_kernel"},
    {"alloc_decode_kernel", kBookkeeping, "alloc_pages",
     launched_in("sglang/python/sglang/srt/mem_cache/allocator.py", "alloc_decode"),
     "alloc_decode_kernel"},
    {"compute_position_kernel", kBookkeeping, "compute_position", kForwardBatch,
     "compute_position_kernel"},
    {"triton_poi_fused_clamp_sub*", kBookkeeping, "clamp,sub", kClamp,
     "triton_poi_fused_clamp_sub_0", read_nothing},
    {"_compute_slot_mapping_kernel", kBookkeeping, "slot_mapping",
     perhaps_in("vllm/vllm/v1/worker/block_table.py", "compute_slot_mapping"),
     "_compute_slot_mapping_kernel"},
    {"_compute_slot_mappings_kernel", kBookkeeping, "slot_mapping",
     launched_in("vllm/vllm/v1/worker/gpu/block_table.py", "compute_slot_mappings"),
     "_compute_slot_mappings_kernel"},
    {"create_flashinfer_kv_indices_triton", kAttentionPrepare, "attention_prepare", kAttentionUtils,
     "create_flashinfer_kv_indices_triton",
     [](const NameTokens&, std::size_t, KernelName& name) {
       name.dtype_in = "int32";
       name.dtype_out = "int32";
     }},
    {"create_flashmla_kv_indices_triton", kAttentionPrepare, "attention_prepare", kAttentionUtils,
     "create_flashmla_kv_indices_triton"},
    {"get_num_kv_splits_triton", kAttentionPrepare, "attention_prepare",
     launched_in("sglang/python/sglang/srt/layers/attention/triton_backend.py",
                 "get_num_kv_splits"),
     "get_num_kv_splits_triton"},
    {"_copy_page_indices_kernel", kAttentionPrepare, "attention_prepare",
     launched_in("vllm/vllm/v1/attention/backends/flashinfer.py", "build"),
     "_copy_page_indices_kernel"},
    {"set_mla_kv_buffer_kernel", kKvWrite, "concat_and_cache_mla",
     launched_in("sglang/python/sglang/srt/mem_cache/memory_pool.py", "set_mla_kv_buffer_triton"),
     "set_mla_kv_buffer_kernel"},
    {"reshape_and_cache_kernel_flash", kKvWrite, "reshape_and_cache",
     launched_in("vllm/vllm/attention/ops/triton_reshape_and_cache_flash.py",
                 "triton_reshape_and_cache_flash"),
     "reshape_and_cache_kernel_flash"},
    {"_reshape_cache_kernel*", kKvWrite, "reshape_and_cache", kUnknown, "_reshape_cache_kernel"},
    {"_fused_qk_rope_reshape_and_cache_kernel", kRope, "fused_qkv_rope",
     launched_in("aiter/aiter/ops/triton/fused_kv_cache.py", "fused_qk_rope_reshape_and_cache"),
     "_fused_qk_rope_reshape_and_cache_kernel"},

    {"kernel_unified_attention_2d", kAttention, "attention", kUnified,
     "kernel_unified_attention_2d"},
    {"kernel_unified_attention_3d", kAttention, "attention_decode", kUnified,
     "kernel_unified_attention_3d",
     [](const NameTokens&, std::size_t, KernelName& name) { name.kv_split = true; }},
    {"kernel_unified_attention*", kAttention, "attention", kUnified, "kernel_unified_attention"},
    {"reduce_segments", kAttentionCombine, "attention_combine", kUnified, "reduce_segments"},
    {"kernel_paged_attention_2d", kAttention, "attention_decode",
     launched_in("vllm/vllm/attention/ops/chunked_prefill_paged_decode.py",
                 "chunked_prefill_paged_decode"),
     "kernel_paged_attention_2d"},
    {"_fwd_grouped_kernel_stage1*", kAttention, "attention_decode", kDecodeAttention,
     "_fwd_grouped_kernel_stage1"},
    {"_fwd_kernel_stage1*", kAttention, "attention_decode", kDecodeAttention, "_fwd_kernel_stage1"},
    {"_fwd_kernel_stage2*", kAttentionCombine, "attention_combine", kDecodeAttention,
     "_fwd_kernel_stage2"},
    {"_fwd_kernel_unified", kAttention, "attention_prefill", kExtend, "_fwd_kernel_unified"},
    {"_fwd_kernel", kAttention, "attention_prefill", kPrefixPrefill, "_fwd_kernel"},
    {"_fwd_kernel_alibi", kAttention, "attention_prefill", kPrefixPrefill, "_fwd_kernel_alibi"},
    {"_fwd_kernel_destindex_copy*", kKvWrite, "reshape_and_cache", kUnknown,
     "_fwd_kernel_destindex_copy_kv"},
    {"bwd_kernel*", kAttention, "attention_backward", kUnknown, "bwd_kernel_dk_dv"},
    {"_bwd_kernel*", kAttention, "attention_backward", kUnknown, "_bwd_kernel_dkdvdq_causal"},
    {"bwd_preprocess*", kAttention, "attention_backward", kUnknown, "bwd_preprocess_varlen"},
    {"_bwd_preprocess", kAttention, "attention_backward", kUnknown, "_bwd_preprocess"},
    {"attn_fwd", kAttention, "attention_prefill",
     perhaps_in("vllm/vllm/attention/ops/triton_flash_attention.py"), "attn_fwd"},
    {"_attn_fwd*", kAttention, "attention_prefill", kUnknown, "_attn_fwd"},
    {"flex_attention*", kAttention, "attention", kUnknown, "flex_attention_kernel"},
    {"merge_state_kernel", kAttentionCombine, "attention_combine",
     launched_in("sglang/python/sglang/srt/layers/attention/triton_ops/merge_state.py",
                 "merge_state_triton"),
     "merge_state_kernel"},
    {"_correct_attn_cp_out_kernel", kAttentionCombine, "attention_combine",
     launched_in("vllm/vllm/attention/ops/common.py", "correct_attn_out"),
     "_correct_attn_cp_out_kernel"},

    {"_matmul_ogs*", kMoe, "moe_gemm", kMatmulOgs,
     "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu", read_matmul_ogs},
    {"_p_matmul_ogs*", kMoe, "moe_gemm", kMatmulOgs,
     "_p_matmul_ogs_NNT_bf16xbf16xmxfp4_64x128x128x1", read_matmul_ogs},
    {"_finalize_matmul*", kMoe, "moe_sum_reduce", kMatmulOgs, "_finalize_matmul_scatter_bf16",
     read_piece_dtype},
    {"_reduce_grouped", kMoe, "moe_sum_reduce", kMatmulOgs, "_reduce_grouped"},
    {"_combined_routing*", kMoe, "moe_count_and_sort", kRouting, "_combined_routing_compute"},
    {"_routing_compute*", kMoe, "moe_count_and_sort", kRouting, "_routing_compute_indx"},
    {"_sum_bitmatrix_rows*", kMoe, "moe_count_and_sort", kRouting, "_sum_bitmatrix_rows"},
    {"_bitmatrix_metadata*", kMoe, "moe_count_and_sort", kRouting, "_bitmatrix_metadata_compute"},
    {"_topk_forward", kMoe, "moe_topk_gating_softmax", kTopk, "_topk_forward"},
    {"_swiglu", kMoe, "silu_and_mul",
     launched_in("triton/python/triton_kernels/triton_kernels/swiglu.py", "swiglu"), "_swiglu"},
    {"fused_moe_kernel*", kMoe, "moe_gemm", kFusedMoe, "fused_moe_kernel_gptq_awq"},
    {"_warp_decode*", kMoe, "moe_gemm", kUnknown, "_warp_decode_stage2_fp8_mxfp4_kernel"},
    {"batched_triton_kernel", kMoe, "moe_gemm",
     launched_in("vllm/vllm/model_executor/layers/fused_moe/fused_batched_moe.py",
                 "invoke_moe_batched_triton_kernel"),
     "batched_triton_kernel"},
    {"moe_align_block_size_stage1", kMoe, "moe_align", kFusedMoe, "moe_align_block_size_stage1"},
    {"moe_align_block_size_stage2", kMoe, "moe_align", kFusedMoe, "moe_align_block_size_stage2"},
    {"_moe_sum_reduce_kernel", kMoe, "moe_sum_reduce",
     perhaps_in("sglang/python/sglang/srt/layers/moe/fused_moe_triton/fused_moe.py"),
     "_moe_sum_reduce_kernel"},
    {"act_and_mul_kernel_triton", kActivation, "silu_and_mul", kUnknown,
     "act_and_mul_kernel_triton"},
    {"_silu_and_mul_post_quant_kernel", kMoe, "silu_and_mul_quant",
     perhaps_in("sglang/python/sglang/srt/layers/moe/ep_moe/kernels.py"),
     "_silu_and_mul_post_quant_kernel"},
    // Transformer Engine's
    {"_row_id_map_pass*", kMoe, "moe_count_and_sort", kUnknown, "_row_id_map_pass_1_kernel"},
    {"_make_chunk_sort_map_kernel", kMoe, "moe_count_and_sort", kUnknown,
     "_make_chunk_sort_map_kernel"},
    {"_sort_chunks_by*", kMoe, "moe_permute", kUnknown, "_sort_chunks_by_map_kernel"},
    {"_permute_kernel", kMoe, "moe_permute", kUnknown, "_permute_kernel"},
    {"_unpermute_kernel", kMoe, "moe_unpermute", kUnknown, "_unpermute_kernel"},
    {"_unpermute_bwd*", kMoe, "moe_unpermute_backward", kUnknown,
     "_unpermute_bwd_with_merging_probs_kernel"},
    {"_fwd_kernel_ep_scatter*", kMoe, "moe_permute", kUnknown, "_fwd_kernel_ep_scatter_1"},
    {"_fwd_kernel_ep_gather*", kMoe, "moe_sum_reduce", kUnknown, "_fwd_kernel_ep_gather"},
    {"_wmma_tdm_dense*", kGemm, "gemm", kUnknown, "_wmma_tdm_dense_largem_kernel"},
    {"_gemm_a16_w16*", kGemm, "gemm",
     launched_in("aiter/aiter/ops/triton/gemm_a16w16.py", "gemm_a16w16"),
     "_gemm_a16_w16_kernel_BLOCK_SIZE_M_64", read_aiter_triton},
    {"_gemm_a16w16*", kGemm, "gemm", kUnknown, "_gemm_a16w16_kernel", read_aiter_triton},
    {"_gemm_a16w8*", kGemm, "gemm", kUnknown, "_gemm_a16w8_blockscale_kernel", read_aiter_triton},
    {"_gemm_a16wfp4*", kGemm, "gemm", kUnknown, "_gemm_a16wfp4_kernel", read_aiter_triton},
    {"_gemm_a8w8*", kGemm, "gemm", kUnknown, "_gemm_a8w8_blockscale_kernel", read_aiter_triton},
    {"_gemm_a8wfp4*", kGemm, "gemm", kUnknown, "_gemm_a8wfp4_kernel", read_aiter_triton},
    {"_gemm_afp4wfp4*", kGemm, "gemm", kUnknown, "_gemm_afp4wfp4_preshuffle_kernel",
     read_aiter_triton},
    {"_batched_gemm_a8w8_a_per_token_group_prequant*", kGemm, "gemm", kUnknown,
     "_batched_gemm_a8w8_a_per_token_group_prequant_w_per_batched_tensor_quant_kernel", read_fp8},
    {"_batched_gemm*", kGemm, "gemm", kUnknown, "_batched_gemm_afp4wfp4_kernel", read_aiter_triton},

    {"_w8a8_block_fp8_matmul*", kGemm, "block_scaled_mm", kFp8Kernel, "_w8a8_block_fp8_matmul",
     read_fp8},
    {"_w8a8_triton_block_scaled_mm", kGemm, "block_scaled_mm",
     launched_in("vllm/vllm/model_executor/layers/quantization/utils/fp8_utils.py"),
     "_w8a8_triton_block_scaled_mm", read_fp8},
    {"scaled_mm_kernel", kGemm, "gemm", kUnknown, "scaled_mm_kernel"},
    {"_per_token_group_quant*", kQuantise, "per_token_group_quant_fp8", kFp8Kernel,
     "_per_token_group_quant_fp8_colmajor"},
    {"_per_token_quant_int8", kQuantise, "quantise_int8", kUnknown, "_per_token_quant_int8"},
    {"_static_quant_fp8", kQuantise, "quantise_fp8", kFp8Kernel, "_static_quant_fp8"},
    {"_dynamic_mxfp4_quant_kernel", kQuantise, "quantise_fp4", kUnknown,
     "_dynamic_mxfp4_quant_kernel"},

    {"_rms_norm_kernel*", kNorm, "rms_norm", kUnknown, "_rms_norm_kernel"},
    {"rms_norm*", kNorm, "rms_norm", kUnknown, "rms_norm_fwd_kernel"},
    {"_rmsnorm*", kNorm, "rms_norm", kUnknown, "_rmsnorm_kernel"},
    {"fused_dual_residual_rmsnorm_kernel", kNorm, "add_rms_norm",
     launched_in("sglang/python/sglang/srt/layers/elementwise.py", "fused_dual_residual_rmsnorm"),
     "fused_dual_residual_rmsnorm_kernel"},
    {"fused_rmsnorm_kernel", kNorm, "rms_norm",
     launched_in("sglang/python/sglang/srt/layers/elementwise.py", "fused_rmsnorm"),
     "fused_rmsnorm_kernel"},
    {"_layer_norm_fwd*", kNorm, "layer_norm", kUnknown, "_layer_norm_fwd_1pass_kernel"},
    {"_triton_mrope_forward*", kRope, "mrope",
     perhaps_in("vllm/vllm/model_executor/layers/rotary_embedding/mrope.py", "triton_mrope"),
     "_triton_mrope_forward"},
    {"_rope_kernel*", kRope, "rope", kUnknown, "_rope_kernel_sbhd_fwd"},
    {"_rotary_kernel", kRope, "rope", kUnknown, "_rotary_kernel"},
    {"rotary_kernel", kRope, "rope", kUnknown, "rotary_kernel"},

    {"rejection_greedy_sample_kernel", kSampling, "speculative_sample", kRejection,
     "rejection_greedy_sample_kernel"},
    {"rejection_random_sample_kernel", kSampling, "speculative_sample", kRejection,
     "rejection_random_sample_kernel"},
    {"sample_recovered_tokens_kernel", kSampling, "speculative_sample", kRejection,
     "sample_recovered_tokens_kernel"},
    {"expand_kernel", kSampling, "speculative_sample", kRejection, "expand_kernel"},
    {"assign_req_to_token_pool", kBookkeeping, "write_req_to_token_pool",
     perhaps_in("sglang/python/sglang/srt/speculative/spec_utils.py"), "assign_req_to_token_pool"},
    {"assign_draft_cache_locs*", kBookkeeping, "draft_cache_locs",
     perhaps_in("sglang/python/sglang/srt/speculative/spec_utils.py"), "assign_draft_cache_locs"},
    {"eagle_prepare_inputs*", kBookkeeping, "prepare_inputs",
     perhaps_in("vllm/vllm/v1/spec_decode/utils.py"), "eagle_prepare_inputs_padded_kernel"},
    {"apply_token_bitmask_inplace_kernel*", kSampling, "logits", kUnknown,
     "apply_token_bitmask_inplace_kernel"},
    {"fused_softcap_kernel", kSampling, "logits",
     launched_in("sglang/python/sglang/srt/layers/logits_processor.py", "fused_softcap"),
     "fused_softcap_kernel"},
    {"_ranks_kernel", kSampling, "logprobs", kUnknown, "_ranks_kernel"},
    {"_lora_shrink_kernel*", kGemm, "lora_shrink", kLora, "_lora_shrink_kernel"},
    {"_lora_expand_kernel*", kGemm, "lora_expand", kLora, "_lora_expand_kernel"},
    {"_sgemm_lora*", kGemm, "lora_shrink", kUnknown, "_sgemm_lora_a_kernel"},
    {"matmul_kernel_persistent", kGemm, "gemm", kUnknown, "matmul_kernel_persistent"},
    {"matmul_kernel*", kGemm, "gemm", kUnknown, "matmul_kernel"},
});

// Kernels that torch.compile writes.
constexpr Launcher kInductor{"pytorch/torch/_inductor/runtime/triton_heuristics.py", "run"};

constexpr auto kInductorRules = std::to_array<Rule>({
    {"triton_poi*", kElementwise, "fused", kInductor, "triton_poi_fused_add_mul_3", read_inductor},
    {"triton_red*", kReduce, "fused", kInductor,
     "triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_1", read_inductor},
    {"triton_per*", kReduce, "fused", kInductor, "triton_per_fused__softmax_0", read_inductor},
    {"triton_tem*", kGemm, "gemm", kInductor, "triton_tem_fused_addmm_7", read_inductor},
    {"triton_for*", kElementwise, "foreach", kInductor, "triton_for_fused_0", read_nothing},
    {"triton_mm*", kGemm, "gemm", kInductor, "triton_mm", read_nothing},
    {"triton_bmm*", kGemm, "gemm", kInductor, "triton_bmm", read_nothing},
    {"triton_convolution2d*", kConv, "conv", kInductor, "triton_convolution2d_4", read_nothing},
    {"triton_flex*", kAttention, "attention", kInductor, "triton_flex_attention_0", read_nothing},
    {"triton_spl*", kScan, "inclusive_scan", kInductor, "triton_spl_fused_cumsum_0", read_nothing},
});

}  // namespace

RuleTable triton_serving_rules() {
  return {"triton", kRules};
}

RuleTable inductor_rules() {
  return {"inductor", kInductorRules};
}

}  // namespace tactus::names
