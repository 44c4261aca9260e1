#include "names/guess.h"

#include "names/wrappers.h"

namespace tactus::names {
namespace {

struct Hint {
  std::string_view part;  ///< in lower case and without underscores
  Family family;
  std::string_view op;
};

// The first match decides, so "moe" is before "gemm" and "splitkreduce" before "reduce".
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
    {"batchnorm", Family::kNorm, "batch_norm"},
    {"instancenorm", Family::kNorm, "instance_norm"},
    {"normalization", Family::kNorm, "norm"},
    {"moegemm", Family::kMoe, "moe_gemm"},
    {"groupedgemm", Family::kMoe, "moe_gemm"},
    {"fusedmoe", Family::kMoe, "moe_gemm"},
    {"moe", Family::kMoe, "moe"},
    {"expert", Family::kMoe, "moe"},
    {"dequant", Family::kQuantise, "dequantise"},
    {"quant", Family::kQuantise, "quantise"},
    {"gemv", Family::kGemv, "gemv"},
    {"splitkreduce", Family::kSplitKReduce, "splitk_reduce"},
    {"reducesplitk", Family::kSplitKReduce, "splitk_reduce"},
    {"implicitgemm", Family::kConv, "conv"},
    {"winograd", Family::kConv, "conv"},
    {"gemm", Family::kGemm, "gemm"},
    {"matmul", Family::kGemm, "gemm"},
    {"bmm", Family::kGemm, "gemm"},
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
    {"pooling", Family::kReduce, "pool"},
    {"conv1d", Family::kConv, "causal_conv1d"},
    {"convert", Family::kCopy, "cast"},
    {"conv", Family::kConv, "conv"},
    {"fprop", Family::kConv, "conv"},
    {"dgrad", Family::kConv, "conv"},
    {"wgrad", Family::kConv, "conv"},
    {"im2col", Family::kConv, "conv"},
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
    {"reduce", Family::kReduce, "reduce"},
    {"reduction", Family::kReduce, "reduce"},
});

struct LibraryName {
  std::string_view scope;  ///< as a namespace
  std::string_view library;
};

// A library's name says who made a kernel and nothing about what it does: fbgemm_gpu permutes,
// cuDNN normalises.
constexpr auto kLibraries = std::to_array<LibraryName>({
    {"fbgemm_gpu", "fbgemm"},
    {"fbgemm", "fbgemm"},
    {"deep_gemm", "deep_gemm"},
    {"cudnn", "cudnn"},
    {"cublasLt", "cublas"},
    {"cublas", "cublas"},
    {"cutlass", "cutlass"},
    {"ck", "composable_kernel"},
    {"ck_tile", "composable_kernel"},
    {"aiter", "aiter"},
    {"miopen", "miopen"},
    {"rocblas", "rocblas"},
    {"flashinfer", "flashinfer"},
    {"flash_attn", "flash_attention"},
    {"transformer_engine", "transformer_engine"},
    {"tensorrt_llm", "tensorrt_llm"},
    {"vllm", "vllm"},
    {"at", "pytorch"},
});

std::string_view library_of_scope(std::string_view scope) {
  for (const LibraryName& known : kLibraries) {
    if (scope == known.scope) return known.library;
  }
  return {};
}

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

/// The best hint in a word; `best` if none is better.
const Hint* better_hint(std::string_view word, const Hint* best) {
  const PlainWord plain(word);
  for (const Hint* hint = kHints.begin(); hint < best; ++hint) {
    if (plain.text().find(hint->part) != std::string_view::npos) return hint;
  }
  return best;
}

/// A qualified name: its own word is what a kernel is called, the others are namespaces and what
/// encloses it.
struct QualifiedName {
  std::string_view own;
  std::size_t begin = 0;  ///< of its words
  std::size_t end = 0;    ///< just after its own word
};

/// Some names have a type before them or template arguments between their words, so all words
/// outside of brackets count; parameters are not there.
QualifiedName outer_name(const NameTokens& tokens) {
  QualifiedName name;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const TokenKind kind = tokens[i].kind;
    if (kind == TokenKind::kOpenArgs || kind == TokenKind::kOpenParen) ++depth;
    if ((kind == TokenKind::kCloseArgs || kind == TokenKind::kCloseParen) && depth != 0) --depth;
    if (kind != TokenKind::kWord || depth != 0) continue;
    name.own = tokens[i].text();
    name.end = i + 1;
  }
  return name;
}

/// The name inside the wrapper that ends at `end`.
QualifiedName inner_name(const NameTokens& tokens, std::size_t end) {
  QualifiedName name{.own = {}, .begin = end, .end = end};
  if (!tokens.is(end, TokenKind::kOpenArgs)) return name;
  std::size_t at = end + 1;
  // kentry<1, Kernel>: a number comes first
  while (tokens.is(at, TokenKind::kNumber) || tokens.is(at, TokenKind::kComma)) ++at;
  name.begin = at;
  for (; tokens.is(at, TokenKind::kWord); ++at) name.own = tokens[at].text();
  name.end = at;
  return name;
}

/// Namespaces are asked only if the own word says nothing.
const Hint* hint_of(const NameTokens& tokens, const QualifiedName& name) {
  const Hint* best = better_hint(name.own, kHints.end());
  if (best != kHints.end()) return best;
  std::size_t depth = 0;
  for (std::size_t i = name.begin; i + 1 < name.end; ++i) {
    const TokenKind kind = tokens[i].kind;
    if (kind == TokenKind::kOpenArgs || kind == TokenKind::kOpenParen) ++depth;
    if ((kind == TokenKind::kCloseArgs || kind == TokenKind::kCloseParen) && depth != 0) --depth;
    if (kind != TokenKind::kWord || depth != 0) continue;
    if (!library_of_scope(tokens[i].text()).empty()) continue;
    best = better_hint(tokens[i].text(), best);
  }
  return best;
}

}  // namespace

void guess_by_parts(const NameTokens& tokens, KernelName& name) {
  QualifiedName asked = outer_name(tokens);
  const auto library_in = [&](const QualifiedName& scopes) {
    for (std::size_t i = scopes.begin; i + 1 < scopes.end && name.library.empty(); ++i) {
      if (tokens.is(i, TokenKind::kWord)) name.library = library_of_scope(tokens[i].text());
    }
  };
  while (is_wrapper(asked.own)) {
    const QualifiedName inner = inner_name(tokens, asked.end);
    if (inner.own.empty()) break;
    library_in(inner);
    asked = inner;
  }
  library_in(asked);
  const Hint* best = hint_of(tokens, asked);
  if (best == kHints.end()) return;
  name.family = best->family;
  name.op = best->op;
}

}  // namespace tactus::names
