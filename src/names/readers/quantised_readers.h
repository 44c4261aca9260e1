#pragma once

#include "names/rule.h"

namespace tactus::names {

// GEMMs of libraries for numbers of few bits.

/// Marlin<A, B, C, scales, ...>, with types as numbers, see vLLM's ScalarType; older versions have
/// Marlin<T, bits or type of the weights, ...>
void read_marlin(const NameTokens& tokens, std::size_t at, KernelName& name);

/// deep_gemm::sm100_fp8_fp4_gemm_1d1d_impl<..., (deep_gemm::GemmType)1, ..., A, B, D, ...>: all
/// kernels of DeepGEMM begin with the device, then come the types and what they do.
void read_deep_gemm(const NameTokens& tokens, std::size_t at, KernelName& name);

/// AITER's assembly: f4gemm_bf16_per1x32Fp4_..., fmoe_bf16_pertokenFp8_...: the type of the output,
/// how the inputs are scaled and what they are.
void read_aiter_quantised(const NameTokens& tokens, std::size_t at, KernelName& name);

/// quant_kernel<BFloat16, ..., __nv_fp8_e4m3, ...>: the first type of numbers is quantised to the
/// one with the fewest bits; if that is no smaller, the output is that of the name or unknown.
void read_quantised_types(const NameTokens& tokens, std::size_t at, KernelName& name);

/// mla_a8w8_qh16_..., mla_a16w16_...: the bits of queries and cache. 8 are fp8, 16 are bf16.
void read_aiter_mla(const NameTokens& tokens, std::size_t at, KernelName& name);

/// flatmm_uk_gfx9_f16f8_128x256x128_...: output, input, tile
void read_aiter_flatmm(const NameTokens& tokens, std::size_t at, KernelName& name);

/// AITER's Triton kernels: _gemm_a8w8_blockscale_kernel, _gemm_afp4wfp4_reduce_kernel. With
/// "reduce" they add up the parts of a split-K product. The name may list the build options:
/// ..._BLOCK_SIZE_M_8_BLOCK_SIZE_N_32_BLOCK_SIZE_K_256
void read_aiter_triton(const NameTokens& tokens, std::size_t at, KernelName& name);

}  // namespace tactus::names
