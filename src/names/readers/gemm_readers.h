#pragma once

#include "names/rule.h"

namespace tactus::names {

// GEMMs whose names list their build options.

/// nvjet_[sm90_]tst_128x8_64x12_4x1_v_bz_splitK_TNT (cuBLAS on Hopper and later)
void read_nvjet(const NameTokens& tokens, std::size_t at, KernelName& name);

/// sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_..._stage3
void read_xmma(const NameTokens& tokens, std::size_t at, KernelName& name);

/// splitKreduce_kernel<32, 16, int, partial, output, ...>
void read_splitk_reduce(const NameTokens& tokens, std::size_t at, KernelName& name);

/// internal::gemvx::kernel<int, int, A, B, C, compute, ...>
void read_gemvx(const NameTokens& tokens, std::size_t at, KernelName& name);

/// Cijk_Alik_Bljk_BBS_BH_..._MT128x256x32_MI16x16x1_... (Tensile, hipBLASLt)
void read_tensile(const NameTokens& tokens, std::size_t at, KernelName& name);

/// bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_..._cga1x1x1_... (TensorRT-LLM)
void read_trtllm_bmm(const NameTokens& tokens, std::size_t at, KernelName& name);

/// _matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu (Triton kernels)
void read_matmul_ogs(const NameTokens& tokens, std::size_t at, KernelName& name);

/// ncclDevKernel_AllReduce_Sum_bf16_RING_LL: a dtype between underscores
void read_piece_dtype(const NameTokens& tokens, std::size_t at, KernelName& name);

/// router_gemm_kernel<input, output, ...>, or router_gemm_kernel_float_output<input, ...>
void read_router_gemm(const NameTokens& tokens, std::size_t at, KernelName& name);

}  // namespace tactus::names
