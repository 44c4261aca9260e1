#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

bool has_word(const NameTokens& tokens, std::string_view word) {
  return tokens.find(word) != tokens.size();
}

/// gated_act_kernel<..., &silu<float>, ...>: the function is among the template arguments.
void read_activation(const NameTokens& tokens, std::size_t, KernelName& name) {
  const std::size_t own = tokens.find("transformer_engine") + 1;
  read_dtype(tokens, own, name);
  const bool gated = name.op == "act_and_mul";
  for (const std::string_view function : {"silu", "gelu", "qgelu", "relu", "srelu"}) {
    if (!has_word(tokens, function)) continue;
    name.op = std::string(function) + (gated ? "_and_mul" : "");
  }
}

/// cast_transpose_...<types>: the result has 8 bits, the input more.
void read_cast(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TokenRange all{at, tokens.size()};
  for (std::size_t i = all.begin; i < all.end; ++i) {
    const std::string_view dtype = first_dtype(tokens, {i, i + 1});
    if (dtype == "fp8") name.dtype_out = dtype;
    if (dtype == "bf16" || dtype == "fp16") name.dtype_in = dtype;
  }
}

constexpr auto kRules = std::to_array<Rule>({
    {"transformer_engine gated_act_kernel", kActivation, "act_and_mul", kUnknown,
     "void transformer_engine::gated_act_kernel<float, float, transformer_engine::silu>(int)",
     read_activation},
    {"transformer_engine act_kernel", kActivation, "activation", kUnknown,
     "void transformer_engine::act_kernel<float, float, transformer_engine::gelu>(int)",
     read_activation},
    {"cast_transpose* transformer_engine", kQuantise, "quantise_fp8", kUnknown,
     "void transformer_engine::detail::cast_transpose_optimized_kernel<__nv_bfloat16, "
     "__nv_fp8_e4m3>(int)",
     read_cast},
});

}  // namespace

RuleTable transformer_engine_rules() {
  return {"transformer_engine", kRules};
}

}  // namespace tactus::names
