#include "names/guess/hints.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <vector>

#include "base/check.h"

namespace tactus::names {
namespace {

using enum Family;

// The first match decides: what a kernel fuses comes before its parts, so "moe gemm" is before
// "gemm", and "splitkreduce" before "reduce".
constexpr auto kHints = std::to_array<Hint>({
    {"allreduce", kCollective, "all_reduce"},
    {"allgather", kCollective, "all_gather"},
    {"reducescatter", kCollective, "reduce_scatter"},
    {"alltoall", kCollective, "all_to_all"},
    {"all2all", kCollective, "all_to_all"},
    {"collectivepermute", kCollective, "send_recv"},
    {"oneshot", kCollective, "all_reduce"},  // ways to reduce over ranks
    {"twoshot", kCollective, "all_reduce"},
    {"nccl", kCollective, "collective"},
    {"rccl", kCollective, "collective"},
    {"nvshmem", kCollective, "collective"},
    {"^iris reduce", kCollective, "all_reduce"},  // Iris: memory of other GPUs
    {"^a2aprepare", kMoe, "moe_prepare"},
    {"^a2a", kCollective, "all_to_all"},

    {"slotmapping", kBookkeeping, "slot_mapping"},
    {"blocktable", kBookkeeping, "block_table"},
    {"pagetable", kBookkeeping, "page_table"},
    {"reqtotoken", kBookkeeping, "req_to_token"},
    {"^prepare ^inputs", kBookkeeping, "prepare_inputs"},
    {"^prepare ^pos", kBookkeeping, "prepare_inputs"},
    {"kvindices", kAttentionPrepare, "attention_prepare"},
    {"pageindices", kAttentionPrepare, "attention_prepare"},
    {"^swa ^indices", kAttentionPrepare, "attention_prepare"},  // of a sliding window
    {"^index remap", kAttentionPrepare, "attention_prepare"},
    {"attn metadata", kAttentionPrepare, "attention_prepare"},
    {"attention metadata", kAttentionPrepare, "attention_prepare"},
    {"attnmask", kAttentionPrepare, "attention_prepare"},
    {"attentionmask", kAttentionPrepare, "attention_prepare"},
    {"mla metadata", kAttentionPrepare, "attention_prepare"},
    {"mqa metadata", kAttentionPrepare, "attention_prepare"},

    // What moves keys and values, alone or after the rope.
    {"bmm rope cache", kKvWrite, "concat_and_cache_mla"},
    {"rope cache", kRope, "fused_qkv_rope"},
    {"rope kvbuffer", kRope, "fused_qkv_rope"},
    {"kvcache", kKvWrite, "reshape_and_cache"},
    {"cachekv", kKvWrite, "reshape_and_cache"},
    {"cachemla", kKvWrite, "concat_and_cache_mla"},
    {"kvbuffer", kKvWrite, "reshape_and_cache"},
    {"indexercache", kKvWrite, "reshape_and_cache"},
    {"^kvappend", kKvWrite, "reshape_and_cache"},
    {"^appendkv", kKvWrite, "reshape_and_cache"},
    {"norm rope", kRope, "fused_qk_rmsnorm"},

    // Attention over a state instead of a cache.
    {"deltarule recurrent", kAttention, "gated_delta_rule_update"},
    {"deltarule update", kAttention, "gated_delta_rule_update"},
    {"deltarule decode", kAttention, "gated_delta_rule_update"},
    {"deltarule", kAttention, "chunk_gated_delta_rule"},
    {"^dsa topk", kSampling, "topk"},
    {"^nsa topk", kSampling, "topk"},
    {"deltanet", kAttention, "gated_delta_rule_update"},
    {"^kda norm", kNorm, "gated_rms_norm"},
    {"^kda gate", kElementwise, "kda_gating"},
    {"^kda gating", kElementwise, "kda_gating"},
    {"^kda recurrent", kAttention, "kda_update"},
    {"^kda decode", kAttention, "kda_update"},
    {"^kda", kAttention, "chunk_kda"},
    {"^gdn norm", kNorm, "gated_rms_norm"},
    {"^gdn gating", kElementwise, "gdn_gating"},
    {"^gdn", kAttention, "gated_delta_rule"},

    // "attention residuals": a weighted sum of what earlier layers gave
    {"attnres", kElementwise, "attention_residual"},
    {"mqalogits", kAttention, "mqa_logits"},
    {"indexer logits", kAttention, "mqa_logits"},
    {"attn bwd", kAttention, "attention_backward"},
    {"attn backward", kAttention, "attention_backward"},
    {"attention bwd", kAttention, "attention_backward"},
    {"attention backward", kAttention, "attention_backward"},
    {"attend bwd", kAttention, "attention_backward"},
    {"fmha bwd", kAttention, "attention_backward"},
    {"fmha backward", kAttention, "attention_backward"},
    {"flash bwd", kAttention, "attention_backward"},
    {"^mha bwd", kAttention, "attention_backward"},
    {"^dk ^dv", kAttention, "attention_backward"},
    {"attn combine", kAttentionCombine, "attention_combine"},
    {"attn merge", kAttentionCombine, "attention_combine"},
    {"attn reduce", kAttentionCombine, "attention_combine"},
    {"attention combine", kAttentionCombine, "attention_combine"},
    {"attention merge", kAttentionCombine, "attention_combine"},
    {"attention reduce", kAttentionCombine, "attention_combine"},
    {"fmha combine", kAttentionCombine, "attention_combine"},
    {"fmha reduction", kAttentionCombine, "attention_combine"},
    {"^mla merge", kAttentionCombine, "attention_combine"},
    {"^mla combine", kAttentionCombine, "attention_combine"},
    {"^mla reduce", kAttentionCombine, "attention_combine"},
    {"splitkv combine", kAttentionCombine, "attention_combine"},
    {"splitkv reduce", kAttentionCombine, "attention_combine"},
    {"pagedattention", kAttention, "attention_decode"},
    {"attention", kAttention, "attention"},
    {"attnfwd", kAttention, "attention"},
    {"attn", kAttention, "attention"},
    {"^attend", kAttention, "attention"},
    {"fmha", kAttention, "attention"},
    {"sdpa", kAttention, "attention"},
    {"flashmla", kAttention, "attention_decode"},
    {"^mla decode", kAttention, "attention_decode"},
    {"^mla prefill", kAttention, "attention_prefill"},
    {"splitkvmla", kAttention, "attention_decode"},
    {"sparsemla", kAttention, "attention"},
    {"^dsa", kAttention, "attention"},  // DeepSeek's sparse attention, native sparse attention
    {"^nsa", kAttention, "attention"},

    {"addrmsnorm quant", kNorm, "fused_rmsnorm_quant"},
    {"rmsnorm quant", kNorm, "fused_rmsnorm_quant"},
    {"^rms quant", kNorm, "fused_rmsnorm_quant"},
    {"layernorm quant", kNorm, "layer_norm_quant"},
    {"^norm quant", kNorm, "fused_rmsnorm_quant"},
    {"addrmsnorm", kNorm, "add_rms_norm"},
    {"residual rmsnorm", kNorm, "add_rms_norm"},
    {"gemmanorm", kNorm, "rms_norm"},
    {"qknorm", kNorm, "fused_qk_rmsnorm"},
    {"gammabeta", kNorm, "layer_norm_backward"},
    {"rmsnorm gated", kNorm, "gated_rms_norm"},
    {"norm gated", kNorm, "gated_rms_norm"},
    {"rmsnorm", kNorm, "rms_norm"},
    {"^rms$", kNorm, "rms_norm"},
    {"layernorm", kNorm, "layer_norm"},
    {"groupnorm", kNorm, "group_norm"},
    {"l2norm", kNorm, "l2_norm"},
    {"batchnorm", kNorm, "batch_norm"},
    {"instancenorm", kNorm, "instance_norm"},
    {"normalization", kNorm, "norm"},

    {"moe reduce", kMoe, "moe_sum_reduce"},
    {"moe sum", kMoe, "moe_sum_reduce"},
    {"moe topksum", kMoe, "moe_sum_reduce"},
    {"moegemm", kMoe, "moe_gemm"},
    {"groupedgemm", kMoe, "moe_gemm"},
    {"groupedmatmul", kMoe, "moe_gemm"},
    {"^grouped gemm", kMoe, "moe_gemm"},
    {"fusedmoe", kMoe, "moe_gemm"},
    {"moe stage", kMoe, "moe_gemm"},
    {"^stage gemv", kMoe, "moe_gemm"},  // a product of the experts for few tokens
    {"moe sort", kMoe, "moe_count_and_sort"},
    {"moe align", kMoe, "moe_align"},
    {"moe permute", kMoe, "moe_permute"},
    {"moe", kMoe, "moe"},
    {"router gemm", kMoe, "moe_router_gemm"},
    {"router gemv", kMoe, "moe_router_gemm"},
    {"router matmul", kMoe, "moe_router_gemm"},
    {"^router", kMoe, "moe_topk_gating_softmax"},
    {"expert", kMoe, "moe"},
    {"topk reduce", kMoe, "moe_sum_reduce"},  // of the experts that a token chose
    {"topk sum", kMoe, "moe_sum_reduce"},
    {"grouped topk", kMoe, "grouped_topk"},
    {"logitbias", kSampling, "logits"},
    {"bias topk", kMoe, "grouped_topk"},
    {"sigmoid topk", kMoe, "grouped_topk"},
    {"topk gating", kMoe, "moe_topk_gating_softmax"},
    {"topk ^route", kMoe, "moe_topk_gating_softmax"},
    {"topk logsoftmax", kSampling, "topk"},
    {"topk softmax", kMoe, "moe_topk_gating_softmax"},

    {"topkids", kMoe, "moe_prepare"},
    {"swiglu quant", kActivation, "silu_and_mul_quant"},
    {"silu quant", kActivation, "silu_and_mul_quant"},
    {"gelu quant", kActivation, "gelu_and_mul_quant"},
    {"actmul quant", kActivation, "silu_and_mul_quant"},
    {"rope quant", kRope, "rope"},
    {"quant deepgemm", kQuantise, "quantise"},  // for DeepGEMM
    {"gemv", kGemv, "gemv"},
    {"splitkreduce", kSplitKReduce, "splitk_reduce"},
    {"reducesplitk", kSplitKReduce, "splitk_reduce"},
    {"gemm ^reduce", kSplitKReduce, "splitk_reduce"},
    {"gemm quant", kGemm, "gemm"},  // quantises its inputs, or its weights are quantised
    {"matmul quant", kGemm, "gemm"},
    {"casttranspose", kQuantise, "quantise"},
    {"dequant", kQuantise, "dequantise"},
    {"quant", kQuantise, "quantise"},
    {"hadamard", kElementwise, "hadamard_transform"},

    {"implicitgemm", kConv, "conv"},
    {"winograd", kConv, "conv"},
    {"gemm", kGemm, "gemm"},
    {"matmul", kGemm, "gemm"},
    {"bmm", kGemm, "gemm"},
    {"^mm$", kGemm, "gemm"},
    {"^addmm$", kGemm, "gemm"},
    {"mulmat", kGemm, "gemm"},
    {"einsum", kGemm, "gemm"},
    {"^project$", kGemm, "gemm"},  // not the projection of points to a screen
    {"^projections$", kGemm, "gemm"},
    {"latentinput", kGemm, "gemm"},
    {"^mhc", kElementwise, "hyper_connection"},
    {"dynamicfp8", kQuantise, "quantise_fp8"},
    {"mrope", kRope, "mrope"},
    {"rotary", kRope, "rope"},
    {"rope", kRope, "rope"},
    {"swiglu", kActivation, "silu_and_mul"},
    {"siluandmul", kActivation, "silu_and_mul"},
    {"silumul", kActivation, "silu_and_mul"},
    {"geluandmul", kActivation, "gelu_and_mul"},
    {"geglu", kActivation, "gelu_and_mul"},
    {"gelumul", kActivation, "gelu_and_mul"},
    {"silu", kActivation, "silu"},
    {"gelu", kActivation, "gelu"},
    {"sigmoidmul", kElementwise, "sigmoid_mul"},
    {"upsample", kElementwise, "upsample"},
    {"gridsample", kElementwise, "grid_sample"},
    {"argmax", kSampling, "argmax"},
    {"topk", kSampling, "topk"},
    {"topp", kSampling, "top_p"},
    {"^sampl", kSampling, "sample"},
    {"^resampl", kSampling, "sample"},
    {"^reject", kSampling, "speculative_sample"},
    {"^beam", kSampling, "beam_search"},
    {"logits", kSampling, "logits"},
    {"penalt", kSampling, "penalty"},
    {"crossentropy", kReduce, "cross_entropy"},
    {"softmax", kReduce, "softmax"},
    {"embedding", kGather, "embedding"},
    {"gather", kGather, "gather"},
    {"pooling", kReduce, "pool"},
    {"maxpool", kReduce, "max_pool"},
    {"avgpool", kReduce, "avg_pool"},
    {"averagepool", kReduce, "avg_pool"},
    {"selectivescan", kScan, "selective_scan"},
    {"conv1d", kConv, "causal_conv1d"},
    {"convert", kCopy, "cast"},
    {"conv", kConv, "conv"},
    {"fprop", kConv, "conv"},
    {"dgrad", kConv, "conv"},
    {"wgrad", kConv, "conv"},
    {"im2col", kConv, "conv"},
    {"cumsum", kScan, "inclusive_scan"},
    {"radixsort", kSampling, "sort"},
    {"^sort$", kSampling, "sort"},
    {"indexadd", kGather, "index_add"},
    {"^scatter", kGather, "scatter"},
    {"memset", kFill, "fill"},
    {"^fill", kFill, "fill"},
    {"^zero", kFill, "fill"},
    {"memcpy", kCopy, "copy"},
    {"transpose", kCopy, "transpose"},
    {"permute", kCopy, "transpose"},
    {"^concat", kCopy, "cat"},
    {"padding", kCopy, "pad"},
    {"^repack", kQuantise, "repack"},
    {"copy", kCopy, "copy"},
    {"^cast", kCopy, "cast"},
    {"optimizer", kElementwise, "optimizer"},
    {"^adam", kElementwise, "optimizer"},
    {"elementwise", kElementwise, "elementwise"},
    {"reduce", kReduce, "reduce"},
    {"reduction", kReduce, "reduce"},
    {"^add$", kElementwise, "add"},
    {"^mul$", kElementwise, "mul"},
    {"^div$", kElementwise, "div"},
    {"^pow$", kElementwise, "pow"},
});

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

/// A word in lower case and without underscores, and where its parts begin.
class PlainWord {
 public:
  explicit PlainWord(std::string_view word) {
    char before = '_';
    for (std::size_t i = 0; i < word.size() && size_ < kMost; before = word[i++]) {
      const char c = word[i];
      if (c == '_' || c == '-') continue;
      const char next = i + 1 < word.size() ? word[i + 1] : '_';
      // TopK, RMSNorm (at N)
      const bool capital = is_upper(c) && (!is_upper(before) || is_lower(next));
      const bool other_kind = is_digit(c) != is_digit(before);  // add3, norm2d
      starts_[size_] = before == '_' || before == '-' || capital || other_kind;
      text_[size_++] = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    starts_[size_] = true;
  }

  std::string_view text() const { return {text_.data(), size_}; }
  bool starts(std::size_t at) const { return starts_[at]; }

 private:
  static constexpr std::size_t kMost = 128;

  std::size_t size_ = 0;
  std::array<char, kMost> text_;
  std::bitset<kMost + 1> starts_;  // the last one is the end
};

/// All parts of all hints by their first two letters. So guessing looks at each letter of a word
/// once, for any number of hints.
class HintIndex {
 public:
  HintIndex() {
    for (const Hint& hint : kHints) add(hint);
  }

  /// The place of the first hint that a word has, or that of none, which is behind the last.
  std::size_t first(std::string_view word) const {
    const PlainWord plain(word);
    const std::string_view text = plain.text();
    std::bitset<kMostParts> seen;
    std::array<std::uint16_t, kMostSeen> order;
    std::size_t count = 0;
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      for (const std::uint16_t id : by_letters_[letters(text[at], text[at + 1])]) {
        const Part& part = parts_[id];
        if (seen[id] || !text.substr(at).starts_with(part.text)) continue;
        if (part.begins && !plain.starts(at)) continue;
        if (part.ends && !plain.starts(at + part.text.size())) continue;
        if (part.is_gemm && text.substr(at).starts_with("gemma") && !plain.starts(at + 4)) {
          continue;  // Gemma is a model
        }
        seen[id] = true;
        if (count < kMostSeen) order[count++] = id;
      }
    }
    std::size_t best = kHints.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::uint16_t hint : parts_[order[i]].hints) {
        if (hint >= best) break;  // they are in order
        const auto& others = others_[hint];
        if (std::all_of(others.begin(), others.end(),
                        [&](std::uint16_t other) { return other == kNoPart || seen[other]; })) {
          best = hint;
          break;
        }
      }
    }
    return best;
  }

 private:
  static constexpr std::size_t kMostParts = 512;
  static constexpr std::size_t kMostSeen = 64;  // different parts in one word
  static constexpr std::size_t kLetters = 32;
  static constexpr std::uint16_t kNoPart = kMostParts;

  struct Part {
    std::string_view text;
    bool begins = false;
    bool ends = false;
    bool is_gemm = false;
    std::vector<std::uint16_t> hints;  // whose first part it is
  };

  static std::size_t letters(char first, char second) {
    return static_cast<std::size_t>(first) % kLetters * kLetters +
           static_cast<std::size_t>(second) % kLetters;
  }

  void add(const Hint& hint) {
    const auto place = static_cast<std::uint16_t>(&hint - kHints.begin());
    std::size_t count = 0;
    for (std::string_view rest = hint.parts; !rest.empty(); ++count) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const std::uint16_t id = part(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      CHECK(count <= others_[place].size());
      if (count == 0) {
        others_[place].fill(kNoPart);
        parts_[id].hints.push_back(place);
      } else {
        others_[place][count - 1] = id;
      }
    }
  }

  std::uint16_t part(std::string_view text) {
    Part wanted;
    wanted.begins = text.starts_with('^');
    wanted.ends = text.ends_with('$');
    wanted.text = text.substr(wanted.begins ? 1 : 0);
    if (wanted.ends) wanted.text.remove_suffix(1);
    wanted.is_gemm = wanted.text == "gemm";
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& known = parts_[i];
      if (known.text == wanted.text && known.begins == wanted.begins && known.ends == wanted.ends) {
        return static_cast<std::uint16_t>(i);
      }
    }
    CHECK(wanted.text.size() > 1 && parts_.size() < kMostParts);
    const auto id = static_cast<std::uint16_t>(parts_.size());
    by_letters_[letters(wanted.text[0], wanted.text[1])].push_back(id);
    parts_.push_back(std::move(wanted));
    return id;
  }

  std::vector<Part> parts_;
  std::array<std::vector<std::uint16_t>, kLetters * kLetters> by_letters_;
  std::array<std::array<std::uint16_t, 2>, kHints.size()> others_;
};

}  // namespace

const Hint* better_hint(std::string_view word, const Hint* best) {
  static const HintIndex index;  // never changes; made at the first use
  const std::size_t place = index.first(word);
  const Hint* hint = place == kHints.size() ? nullptr : &kHints[place];
  return hint == nullptr || (best != nullptr && best < hint) ? best : hint;
}

const Hint* hint_for(std::string_view word) {
  return better_hint(word, nullptr);
}

}  // namespace tactus::names
