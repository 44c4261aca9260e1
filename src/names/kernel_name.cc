#include "names/kernel_name.h"

#include "names/guess/guess.h"
#include "names/rule_index.h"
#include "names/tokens/name_tokens.h"
#include "names/tokens/pieces.h"
#include "names/vendors.h"

namespace tactus {
namespace {

const names::RuleIndex& rule_index() {
  static const names::RuleIndex index(names::rule_tables());  // never changes; made at the first
                                                              // use
  return index;
}

/// Profilers describe copies and sets of memory in words: "Memcpy HtoD (Pinned -> Device)".
bool read_memory_work(std::string_view text, KernelName& name) {
  if (text.starts_with("[CUDA ")) text.remove_prefix(6);
  const bool set = text.starts_with("Memset") || text.starts_with("memset");
  const bool copy = text.starts_with("Memcpy") || text.starts_with("memcpy") ||
                    text.starts_with("CopyHostTo") || text.starts_with("CopyDeviceTo");
  if (!set && !copy) return false;
  name.family = set ? Family::kFill : Family::kCopy;
  name.op = set ? "fill" : "copy";
  name.library = "driver";
  return true;
}

}  // namespace

std::string_view family_name(Family family) {
  switch (family) {
    case Family::kGemm: return "gemm";
    case Family::kGemv: return "gemv";
    case Family::kSplitKReduce: return "splitk_reduce";
    case Family::kAttention: return "attention";
    case Family::kAttentionPrepare: return "attention_prepare";
    case Family::kAttentionCombine: return "attention_combine";
    case Family::kActivation: return "activation";
    case Family::kNorm: return "norm";
    case Family::kKvWrite: return "kv_write";
    case Family::kFill: return "fill";
    case Family::kCopy: return "copy";
    case Family::kRope: return "rope";
    case Family::kSampling: return "sampling";
    case Family::kGather: return "gather";
    case Family::kElementwise: return "elementwise";
    case Family::kScan: return "scan";
    case Family::kReduce: return "reduce";
    case Family::kMoe: return "moe";
    case Family::kQuantise: return "quantise";
    case Family::kConv: return "conv";
    case Family::kCollective: return "collective";
    case Family::kBookkeeping: return "bookkeeping";
    case Family::kOther: break;
  }
  return "other";
}

namespace names {

void read_dtype(const NameTokens& tokens, std::size_t at, KernelName& name) {
  set_dtype(name, first_dtype(tokens, TemplateArgs(tokens, at).all()));
}

}  // namespace names

KernelName decode_kernel_name(std::string_view text) {
  KernelName name;
  if (read_memory_work(text, name)) return name;
  names::NameTokens tokens;
  names::tokenise(text, tokens);
  names::RuleMatch match = rule_index().match(tokens);
  const names::Vendor* vendor = nullptr;
  if (match.rule == nullptr && (vendor = names::remove_vendor(tokens)) != nullptr) {
    match = rule_index().match(tokens);
  }
  if (match.rule == nullptr) {
    names::guess_by_parts(tokens, name);
    if (vendor != nullptr && name.library.empty()) name.library = vendor->library;
    return name;
  }
  name.family = match.rule->family;
  name.op = match.rule->op;
  name.library = match.library;
  if (!match.rule->launcher.file.empty()) name.launcher = match.rule->launcher;
  match.rule->read(tokens, match.at, name);
  if (vendor != nullptr) {  // it calls kernels of its own, built like those of the rule
    name.library = vendor->library;
    name.launcher.reset();
  }
  if (name.dtype_in == "uint16") name.dtype_in = match.uint16;
  if (name.dtype_out == "uint16") name.dtype_out = match.uint16;
  return name;
}

}  // namespace tactus
