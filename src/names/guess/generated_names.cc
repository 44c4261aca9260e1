#include "names/guess/generated_names.h"

#include <algorithm>

#include "names/dtype_words.h"
#include "names/guess/hints.h"
#include "names/guess/xla_names.h"
#include "names/tokens/pieces.h"

namespace tactus::names {
namespace {

struct ModuleName {
  std::string_view module;
  std::string_view library;
};

constexpr auto kModules = std::to_array<ModuleName>({
    {"b12x", "b12x"},
    {"flashinfer", "flashinfer"},
    {"flash_attn", "flash_attention"},
    {"quack", "quack"},
    {"sglang", "sglang"},
    {"tensorrt_llm", "tensorrt_llm"},
    {"vllm", "vllm"},
});

/// The type in "tensorptrbf16gmemalign16..." or "Valuetypef16_", whichever an argument has first.
std::string_view dsl_dtype(std::string_view arguments) {
  for (const std::string_view mark : {"tensorptr", "Valuetype"}) {
    const std::size_t at = arguments.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = arguments.substr(at + mark.size(), 8);
    for (std::size_t size = rest.size(); size > 1; --size) {
      if (const auto dtype = short_dtype(rest.substr(0, size)); !dtype.empty()) return dtype;
    }
  }
  return {};
}

bool read_cutlass_dsl(std::string_view word, KernelName& name) {
  const auto rest = after(word, "kernel_cutlass_");
  if (!rest) return false;
  constexpr std::string_view kObject = "_object_at_";
  const std::size_t object = rest->find(kObject);
  std::string_view called = rest->substr(0, object);
  const std::string_view arguments = rest->substr(std::min(called.size(), rest->size()));
  for (const ModuleName& known : kModules) {
    if (called.find(known.module) != std::string_view::npos) name.library = known.library;
  }
  // The parts of the module's name have no marks between them: b12xmoe_sharedkernels.
  called = after(called, "kernel_").value_or(called);
  for (const ModuleName& known : kModules) called = after(called, known.module).value_or(called);
  const Hint* hint = hint_for(called);
  if (hint == nullptr) return true;
  name.family = hint->family;
  name.op = hint->op;
  name.dtype_in = dsl_dtype(arguments);
  const bool keeps_type = name.family == Family::kNorm || name.family == Family::kActivation;
  if (keeps_type && name.op.find("quant") == std::string::npos) name.dtype_out = name.dtype_in;
  return true;
}

bool read_flag_gems(std::string_view word, KernelName& name) {
  const std::size_t rank = word.find("_kernel_rank_");
  if (rank == std::string_view::npos) return false;
  std::string_view function = word.substr(0, rank);
  function = function.substr(0, function.find("_func"));
  const Hint* hint = hint_for(function);
  name.library = "flag_gems";
  name.family = hint == nullptr ? Family::kElementwise : hint->family;
  name.op = hint == nullptr ? function : hint->op;
  return true;
}

}  // namespace

bool read_generated_name(const NameTokens& tokens, KernelName& name) {
  if (!tokens.is(0, TokenKind::kWord)) return false;
  const std::string_view word = tokens[0].text();
  const bool bare = tokens.size() == 1 || tokens.is(1, TokenKind::kNumber);  // f, f.12
  return read_cutlass_dsl(word, name) || read_flag_gems(word, name) ||
         (bare && read_xla_name(word, tokens.size() > 1, name));
}

}  // namespace tactus::names
