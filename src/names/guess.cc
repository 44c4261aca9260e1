#include "names/guess.h"

namespace tactus::names {
namespace {

struct Hint {
  std::string_view part;  ///< in lower case and without underscores
  Family family;
  std::string_view op;
};

// The first match decides, so "rmsnorm" is before "norm" and "moe" before "gemm".
constexpr auto kHints = std::to_array<Hint>({
    {"allreduce", Family::kCollective, "all_reduce"},
    {"allgather", Family::kCollective, "all_gather"},
    {"reducescatter", Family::kCollective, "reduce_scatter"},
    {"alltoall", Family::kCollective, "all_to_all"},
    {"all2all", Family::kCollective, "all_to_all"},
    {"nccl", Family::kCollective, "collective"},
    {"nvshmem", Family::kCollective, "collective"},
    {"kvcache", Family::kKvWrite, "reshape_and_cache"},
    {"cachekv", Family::kKvWrite, "reshape_and_cache"},
    {"pagedattention", Family::kAttention, "attention_decode"},
    {"attentioncombine", Family::kAttentionCombine, "attention_combine"},
    {"mergeattn", Family::kAttentionCombine, "attention_combine"},
    {"attention", Family::kAttention, "attention"},
    {"attnfwd", Family::kAttention, "attention"},
    {"attn", Family::kAttention, "attention"},
    {"fmha", Family::kAttention, "attention"},
    {"sdpa", Family::kAttention, "attention"},
    {"flashmla", Family::kAttention, "attention_decode"},
    {"rmsnorm", Family::kNorm, "rms_norm"},
    {"layernorm", Family::kNorm, "layer_norm"},
    {"groupnorm", Family::kNorm, "group_norm"},
    {"l2norm", Family::kNorm, "l2_norm"},
    {"moegemm", Family::kMoe, "moe_gemm"},
    {"groupedgemm", Family::kMoe, "moe_gemm"},
    {"fusedmoe", Family::kMoe, "moe_gemm"},
    {"moe", Family::kMoe, "moe"},
    {"expert", Family::kMoe, "moe"},
    {"dequant", Family::kQuantise, "dequantise"},
    {"quant", Family::kQuantise, "quantise"},
    {"gemv", Family::kGemv, "gemv"},
    {"splitkreduce", Family::kSplitKReduce, "splitk_reduce"},
    {"gemm", Family::kGemm, "gemm"},
    {"matmul", Family::kGemm, "gemm"},
    {"rotary", Family::kRope, "rope"},
    {"rope", Family::kRope, "rope"},
    {"swiglu", Family::kActivation, "silu_and_mul"},
    {"siluandmul", Family::kActivation, "silu_and_mul"},
    {"geluandmul", Family::kActivation, "gelu_and_mul"},
    {"silu", Family::kActivation, "silu"},
    {"gelu", Family::kActivation, "gelu"},
    {"argmax", Family::kSampling, "argmax"},
    {"topk", Family::kSampling, "topk"},
    {"topp", Family::kSampling, "top_p"},
    {"sampl", Family::kSampling, "sample"},
    {"logits", Family::kSampling, "logits"},
    {"penalt", Family::kSampling, "penalty"},
    {"softmax", Family::kReduce, "softmax"},
    {"embedding", Family::kGather, "embedding"},
    {"gather", Family::kGather, "gather"},
    {"conv1d", Family::kConv, "causal_conv1d"},
    {"conv", Family::kConv, "conv"},
    {"cumsum", Family::kScan, "inclusive_scan"},
    {"radixsort", Family::kSampling, "sort"},
    {"memset", Family::kFill, "fill"},
    {"memcpy", Family::kCopy, "copy"},
    {"transpose", Family::kCopy, "transpose"},
    {"permute", Family::kCopy, "transpose"},
    {"copy", Family::kCopy, "copy"},
    {"cast", Family::kCopy, "cast"},
    {"slotmapping", Family::kBookkeeping, "slot_mapping"},
    {"blocktable", Family::kBookkeeping, "block_table"},
    {"pagetable", Family::kBookkeeping, "page_table"},
    {"reqtotoken", Family::kBookkeeping, "req_to_token"},
    {"elementwise", Family::kElementwise, "elementwise"},
});

/// A word in lower case and without underscores.
class PlainWord {
 public:
  explicit PlainWord(std::string_view word) {
    for (const char c : word) {
      if (size_ == kMost) break;
      if (c != '_') text_[size_++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  static constexpr std::size_t kMost = 96;
  std::array<char, kMost> text_;
  std::size_t size_ = 0;
};

}  // namespace

void guess_by_parts(const NameTokens& tokens, KernelName& name) {
  std::size_t depth = 0;
  const Hint* best = kHints.end();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const TokenKind kind = tokens[i].kind;
    if (kind == TokenKind::kOpenArgs || kind == TokenKind::kOpenParen) ++depth;
    if ((kind == TokenKind::kCloseArgs || kind == TokenKind::kCloseParen) && depth != 0) --depth;
    if (kind != TokenKind::kWord || depth != 0) continue;
    const PlainWord word(tokens[i].text());
    for (const Hint* hint = kHints.begin(); hint < best; ++hint) {
      if (word.text().find(hint->part) == std::string_view::npos) continue;
      best = hint;
      break;
    }
  }
  if (best == kHints.end()) return;
  name.family = best->family;
  name.op = best->op;
}

}  // namespace tactus::names
