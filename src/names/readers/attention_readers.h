#pragma once

#include "names/rule.h"

namespace tactus::names {

/// FlashAttention-2: flash_fwd_kernel<Flash_fwd_kernel_traits<head dim, M, N, warps, ...>, ...>
void read_flash2(const NameTokens& tokens, std::size_t at, KernelName& name);
/// flash_fwd_splitkv_kernel<traits, causal, local, alibi, even MN, even K, softcap, split, append>
void read_flash2_splitkv(const NameTokens& tokens, std::size_t at, KernelName& name);
void read_flash2_combine(const NameTokens& tokens, std::size_t at, KernelName& name);

/// FlashAttention-3: FlashAttnFwdSm90<CollectiveMainloopFwdSm90<stages, cluster, tile, ...>, ...>
void read_flash3(const NameTokens& tokens, std::size_t at, KernelName& name);
/// FlashAttnFwdCombine<tuple<M, head dim>, ...>
void read_flash3_combine(const NameTokens& tokens, std::size_t at, KernelName& name);
/// prepare_varlen_num_blocks_kernel<warps, sort>
void read_flash3_prepare(const NameTokens& tokens, std::size_t at, KernelName& name);

/// FlashInfer: BatchPrefillWithPagedKVCacheKernel<KernelTraits<mask, tile of Q, ...>, ...>
void read_flashinfer_prefill(const NameTokens& tokens, std::size_t at, KernelName& name);
/// Kernels of FlashInfer with <vector width, T, ...> or <T, ...>
void read_flashinfer_vector(const NameTokens& tokens, std::size_t at, KernelName& name);
/// BatchQKApplyRotaryPosIdsCosSinCacheKernel<interleave, head dim, vector width, ..., T, index>
void read_flashinfer_rope(const NameTokens& tokens, std::size_t at, KernelName& name);

/// cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_..._cga1x1x1_...
void read_cudnn_sdpa(const NameTokens& tokens, std::size_t at, KernelName& name);

/// fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext
void read_trtllm_fmha(const NameTokens& tokens, std::size_t at, KernelName& name);

/// fmha_cutlassF_bf16_aligned_64x128_rf_sm80
void read_efficient_attention(const NameTokens& tokens, std::size_t at, KernelName& name);

}  // namespace tactus::names
