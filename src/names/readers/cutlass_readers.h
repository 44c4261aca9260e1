#pragma once

#include "names/rule.h"

namespace tactus::names {

// CUTLASS, and cuBLAS and cuDNN, whose older kernels are named by the same scheme.

/// ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_stages_64x5_tn, volta_..., turing_...
void read_cublas(const NameTokens& tokens, std::size_t at, KernelName& name);

/// cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8
void read_cutlass2(const NameTokens& tokens, std::size_t at, KernelName& name);

/// cutlass3x_sm100_bstensorop_s128x256x64gemm_block_scaled_<A>_<B>_<accumulator>_<C>_<D>_
/// <tile>_<cluster>_<stages>_tnn_align32; a type with scales is <scale>x<type>: ue4m3xe2m1
void read_cutlass3_name(const NameTokens& tokens, std::size_t at, KernelName& name);

/// cutlass::device_kernel<GemmUniversal<...CollectiveMma<MainloopSm90...<Stages, tuple<cluster>,
/// ...>, tuple<tile>, ElementA, ...>>
void read_cutlass3(const NameTokens& tokens, std::size_t at, KernelName& name);

/// vLLM's names for them: cutlass_3x_gemm<input, output, ...>
void read_vllm_cutlass(const NameTokens& tokens, std::size_t at, KernelName& name);
/// cutlass_3x_gemm_fp8_blockwise<output, ...>
void read_vllm_cutlass_fp8(const NameTokens& tokens, std::size_t at, KernelName& name);

}  // namespace tactus::names
