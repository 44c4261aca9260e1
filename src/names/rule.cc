#include "names/rule.h"

#include <vector>

#include "names/rules/tables.h"

namespace tactus::names {

std::span<const RuleTable> rule_tables() {
  static const std::vector<RuleTable> tables = {
      collective_rules(),
      flash_attention_rules(),
      flashinfer_rules(),
      attention_rules(),
      rtp_llm_rules(),
      trtllm_rules(),
      deepgemm_rules(),
      llama_cpp_rules(),
      vllm_rules(),
      vllm_quantisation_rules(),
      composable_kernel_rules(),
      aiter_assembly_rules(),
      rocm_rules(),
      sglang_rules(),
      triton_serving_rules(),
      triton_linear_attention_rules(),
      inductor_rules(),
      transformer_engine_rules(),
      cublas_rules(),
      cutlass_rules(),
      cudnn_rules(),
      miopen_rules(),
      fbgemm_rules(),
      pytorch_rules(),
      pytorch_functor_rules(),
      cub_rules(),
      pytorch_loop_rules(),
      eigen_rules(),
      tensorflow_rules(),
  };
  return tables;
}

}  // namespace tactus::names
