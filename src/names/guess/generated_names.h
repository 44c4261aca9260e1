#pragma once

#include "names/kernel_name.h"
#include "names/tokens/name_tokens.h"

namespace tactus::names {

/// Names that compilers make by a scheme. True if the name follows one of them:
///
///   kernel_cutlass_kernel_flashinfernormkernelsrmsnormRMSNormKernel_object_at__tensorptrbf16gmem...
///       CUTLASS's Python DSL: function, module without its dots, class, arguments
///   loop_add_fusion.3, input_reduce_fusion_1, wrapped_convert, all-reduce-start.7
///       XLA: what a fusion ends in, and operations by their names
///   pow_func_tensor_scalar_kernel_rank_1
///       FlagGems: function, number of dimensions
bool read_generated_name(const NameTokens& tokens, KernelName& name);

}  // namespace tactus::names
