#pragma once

#include "names/rule.h"

namespace tactus::names {

// One function per table, in the order in which they are tried.
RuleTable collective_rules();
RuleTable flash_attention_rules();
RuleTable flashinfer_rules();
RuleTable attention_rules();  ///< cuDNN, FlashMLA, xFormers
RuleTable rtp_llm_rules();
RuleTable trtllm_rules();
RuleTable deepgemm_rules();
RuleTable llama_cpp_rules();
RuleTable vllm_rules();
RuleTable vllm_quantisation_rules();
RuleTable composable_kernel_rules();
RuleTable aiter_assembly_rules();
RuleTable rocm_rules();
RuleTable sglang_rules();
RuleTable triton_serving_rules();
RuleTable triton_linear_attention_rules();
RuleTable inductor_rules();
RuleTable transformer_engine_rules();
RuleTable cublas_rules();
RuleTable cutlass_rules();
RuleTable cudnn_rules();
RuleTable miopen_rules();
RuleTable fbgemm_rules();
RuleTable pytorch_rules();
RuleTable pytorch_functor_rules();
RuleTable cub_rules();
RuleTable pytorch_loop_rules();
RuleTable eigen_rules();
RuleTable tensorflow_rules();

}  // namespace tactus::names
