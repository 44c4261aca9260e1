#pragma once

#include "names/rule.h"

namespace tactus::names {

// PyTorch's loops take the operator as a functor or a lambda:
//
//   vectorized_elementwise_kernel<4, FillFunctor<float>, ...>
//   elementwise_kernel<128, 4,
//   gpu_kernel_impl_nocast<sin_kernel_cuda(...)::lambda()::lambda(float)>>

/// The dtypes that the functor works on, and the width of the loop.
void read_functor(const NameTokens& tokens, std::size_t at, KernelName& name);
/// The same for a functor that has no rule: its name is the operator, "mse" of mse_kernel_cuda.
void read_unknown_functor(const NameTokens& tokens, std::size_t at, KernelName& name);
/// The same; the result is a bool.
void read_comparison(const NameTokens& tokens, std::size_t at, KernelName& name);
/// A copy; it is a cast if the loop loads or stores another type than it computes with.
void read_copy(const NameTokens& tokens, std::size_t at, KernelName& name);
/// bfloat16_copy_kernel_cuda and similar: the lambda's type is the type before the cast.
void read_cast_to_bf16(const NameTokens& tokens, std::size_t at, KernelName& name);
void read_cast_to_fp16(const NameTokens& tokens, std::size_t at, KernelName& name);
void read_cast_to_fp32(const NameTokens& tokens, std::size_t at, KernelName& name);
/// OpaqueType<2>: only the size of the elements is known.
void read_opaque(const NameTokens& tokens, std::size_t at, KernelName& name);
/// vectorized_gather_kernel<16, long>: bytes moved at once.
void read_gather(const NameTokens& tokens, std::size_t at, KernelName& name);
/// ReduceOp<input, functor, index, output, ...>
void read_reduce(const NameTokens& tokens, std::size_t at, KernelName& name);
/// DeviceScanKernel<policy, ..., ScanTileState<T, ...>, ...>, of CUB.
void read_scan(const NameTokens& tokens, std::size_t at, KernelName& name);

}  // namespace tactus::names
