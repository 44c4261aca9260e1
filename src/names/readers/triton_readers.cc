#include "names/readers/triton_readers.h"

#include <algorithm>
#include <array>
#include <span>

namespace tactus::names {
namespace {

/// Operators with underscores in their names: Inductor joins operators by underscores too.
constexpr auto kLongOps = std::to_array<std::string_view>({
    "_adaptive_avg_pool2d",
    "_adaptive_avg_pool3d",
    "_assert_async",
    "_fused_rms_norm",
    "_fused_rms_norm_backward",
    "_local_scalar_dense",
    "_log_softmax",
    "_log_softmax_backward_data",
    "_low_memory_max_pool2d_offsets_to_indices",
    "_low_memory_max_pool2d_with_offsets",
    "_low_memory_max_pool_offsets_to_indices",
    "_low_memory_max_pool_with_offsets",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_flash_attention",
    "_scaled_mm",
    "_softmax",
    "_softmax_backward_data",
    "_to_copy",
    "_unsafe_index",
    "_unsafe_index_put",
    "_unsafe_masked_index",
    "_unsafe_masked_index_put_accumulate",
    "_unsafe_view",
    "_upsample_nearest_exact2d",
    "adaptive_max_pool2d",
    "all_gather",
    "all_reduce",
    "as_strided",
    "auto_functionalized",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "batch_norm_with_update",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "clamp_max",
    "clamp_min",
    "constant_pad_nd",
    "convert_element_type",
    "copy_",
    "cudnn_batch_norm",
    "cutlass_scaled_mm",
    "embedding_dense_backward",
    "empty_like",
    "flex_attention",
    "floor_divide",
    "full_like",
    "fused_add_rms_norm",
    "grid_sampler_2d",
    "group_norm",
    "huber_loss",
    "index_add",
    "index_copy",
    "index_put",
    "index_reduce",
    "index_select",
    "instance_norm",
    "layer_norm",
    "leaky_relu",
    "lift_fresh_copy",
    "log_sigmoid_forward",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "masked_fill",
    "masked_scatter",
    "max_pool2d_with_indices",
    "max_pool2d_with_indices_backward",
    "max_pool3d_with_indices",
    "moe_forward",
    "moe_forward_shared",
    "mse_loss",
    "native_batch_norm",
    "native_batch_norm_backward",
    "native_dropout",
    "native_dropout_backward",
    "native_group_norm",
    "native_group_norm_backward",
    "native_layer_norm",
    "native_layer_norm_backward",
    "new_empty",
    "new_full",
    "new_ones",
    "new_zeros",
    "nll_loss2d_forward",
    "nll_loss_backward",
    "nll_loss_forward",
    "ones_like",
    "pixel_shuffle",
    "pixel_unshuffle",
    "prims_convert_element_type",
    "rand_like",
    "randn_like",
    "reduce_scatter",
    "reflection_pad1d",
    "reflection_pad2d",
    "repeat_interleave",
    "replication_pad1d",
    "replication_pad2d",
    "rms_norm",
    "scalar_tensor",
    "scaled_dot_product_attention",
    "scatter_add",
    "scatter_reduce",
    "select_scatter",
    "silu_and_mul",
    "slice_scatter",
    "smooth_l1_loss",
    "split_with_sizes",
    "threshold_backward",
    "true_divide",
    "unified_attention",
    "unified_attention_with_output",
    "upsample_bicubic2d",
    "upsample_bilinear2d",
    "upsample_nearest1d",
    "upsample_nearest2d",
    "upsample_nearest3d",
    "var_mean",
    "wait_tensor",
    "zeros_like",
});

/// How many characters the operator at the front takes.
std::size_t op_size(std::string_view text) {
  std::size_t longest = 0;
  for (const std::string_view op : kLongOps) {
    if (op.front() != text.front()) continue;
    const bool whole =
        text.size() == op.size() || (text.size() > op.size() && text[op.size()] == '_');
    if (whole && text.starts_with(op)) longest = std::max(longest, op.size());
  }
  if (longest != 0) return longest;
  return std::min(text.find('_', 1), text.size());
}

/// What the fused operators say about the kernel.
struct FusedOps {
  std::string text;  ///< joined by commas
  bool softmax = false, argmax = false, rsqrt = false, norm = false, silu = false, gelu = false;
  bool sin = false, cos = false, mul = false, matmul = false, attention = false, index_put = false;
  bool embedding = false, add = false, cat = false, neg = false, sub = false, index = false;
  bool abs = false, amax = false, clamp = false, convolution = false, mean = false, pool = false;
  bool only_copies = true;  ///< and views, which cost nothing
  bool only_fills = true;
  bool only_activation = true;

  void add_op(std::string_view op);
};

bool is_one_of(std::string_view op, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

/// Operators of libraries, which are kernels of their own: only views of their results are fused.
bool is_foreign(std::string_view op) {
  for (const std::string_view part : {"gemm", "scaled_mm", "matmul", "linear", "attention", "quant",
                                      "all_reduce", "all_gather", "moe_forward"}) {
    if (op.find(part) != std::string_view::npos) return true;
  }
  return is_one_of(op, {"mm", "addmm", "bmm", "baddbmm"});
}

void FusedOps::add_op(std::string_view op) {
  if (!text.empty()) text += ',';
  text += op;
  softmax |= op.find("softmax") != std::string_view::npos;
  norm |= op.find("_norm") != std::string_view::npos;
  attention |= op.find("attention") != std::string_view::npos;
  argmax |= op == "argmax";
  rsqrt |= op == "rsqrt";
  silu |= is_one_of(op, {"silu", "silu_and_mul", "silu_backward"});
  gelu |= is_one_of(op, {"gelu", "gelu_backward"});
  sin |= op == "sin";
  cos |= op == "cos";
  mul |= op == "mul";
  matmul |= is_one_of(op, {"mm", "addmm", "bmm", "baddbmm", "_scaled_mm"});
  index_put |= is_one_of(op, {"index_put", "_unsafe_index_put", "index_copy"});
  embedding |= op == "embedding";
  add |= op == "add";
  cat |= op == "cat";
  neg |= op == "neg";
  sub |= op == "sub";
  index |= op == "index" || op == "index_select";
  abs |= op == "abs";
  amax |= op == "amax" || op == "max";
  mean |= op == "mean";
  pool |= op.find("_pool") != std::string_view::npos;
  clamp |= op.starts_with("clamp");
  convolution |= op == "convolution";
  const bool view = is_one_of(op, {"view", "_unsafe_view", "transpose", "permute", "t", "unsqueeze",
                                   "squeeze", "expand", "slice", "select", "split", "as_strided",
                                   "split_with_sizes", "alias", "unbind", "reshape"});
  if (view) return;
  only_copies = only_copies &&
                is_one_of(op, {"clone", "copy", "copy_", "_to_copy", "cat", "stack", "contiguous",
                               "convert_element_type", "prims_convert_element_type",
                               "constant_pad_nd", "repeat", "flip", "roll"});
  only_fills =
      only_fills && is_one_of(op, {"fill", "zeros", "ones", "full", "zeros_like", "ones_like",
                                   "full_like", "new_zeros", "new_ones", "new_full", "zero"});
  only_activation =
      only_activation && (is_one_of(op, {"silu", "gelu", "mul", "silu_and_mul", "add", "_to_copy",
                                         "silu_backward", "gelu_backward", "cat", "relu", "copy_",
                                         "clone", "clamp", "clamp_min", "clamp_max"}) ||
                          is_foreign(op));
}

/// The operators in the order of the name. Inductor sorts them, so a part that comes before the one
/// on its left shows that something is not an operator, but a part of one:
///
///   marlin_gemm_mul_silu           gemm belongs to marlin: marlin_gemm, mul, silu
///   my_per_token_quant_mul_silu    mul is known, so token_quant goes to the left:
///   my_per_token_quant
class SortedOps {
 public:
  explicit SortedOps(std::string_view ops) {
    while (!ops.empty() && count_ < ops_.size()) {
      const std::size_t size = op_size(ops);
      const std::string_view op = ops.substr(0, size);
      ops.remove_prefix(std::min(size + 1, ops.size()));
      if (!op.empty() && op != "_") add(op);
    }
  }

  std::span<const std::string_view> list() const { return std::span(ops_).first(count_); }

 private:
  void add(std::string_view op) {
    if (op == "backward" && count_ != 0) {  // silu_backward
      ops_[count_++] = op;
      join_last();
      return;
    }
    if (count_ != 0 && op < ops_[count_ - 1] && is_common(op)) {
      while (count_ > 1 && op < ops_[count_ - 1] && !is_common(ops_[count_ - 1])) join_last();
    }
    ops_[count_++] = op;
    if (count_ > 1 && op < ops_[count_ - 2]) join_last();
  }

  /// They are side by side in the name.
  void join_last() {
    const std::string_view last = ops_[--count_];
    std::string_view& before = ops_[count_ - 1];
    before = {before.data(), static_cast<std::size_t>(last.data() + last.size() - before.data())};
  }

  static bool is_common(std::string_view op) {
    return is_one_of(
        op, {"add",  "addmm",     "amax",      "bmm",   "cat",     "clone", "copy",   "cos",
             "div",  "embedding", "exp",       "gelu",  "index",   "mean",  "mm",     "mul",
             "neg",  "permute",   "pow",       "relu",  "reshape", "rsqrt", "select", "sigmoid",
             "silu", "sin",       "slice",     "split", "squeeze", "sub",   "sum",    "t",
             "tanh", "transpose", "unsqueeze", "view",  "where",   "zeros"});
  }

  static constexpr std::size_t kMost = 64;
  std::size_t count_ = 0;
  std::array<std::string_view, kMost> ops_;
};

FusedOps fused_ops(std::string_view ops) {
  FusedOps fused;
  const SortedOps sorted(ops);
  for (const std::string_view op : sorted.list()) fused.add_op(op);
  return fused;
}

/// x * cos + rotated x * sin: halves are rotated by cat(-x2, x1), or each half is
/// x1 * cos - x2 * sin with rows of a table.
bool rotates(const FusedOps& fused) {
  if (fused.sin && fused.cos && fused.mul) return true;
  return fused.add && fused.cat && fused.mul && (fused.neg || (fused.sub && fused.index));
}

Family pointwise_family(const FusedOps& fused) {
  if (fused.text.empty()) return Family::kElementwise;
  if (fused.only_copies) return Family::kCopy;
  if (fused.only_fills) return Family::kFill;
  if (fused.index_put) return Family::kKvWrite;
  if (fused.only_activation && (fused.silu || fused.gelu)) return Family::kActivation;
  if (rotates(fused)) return Family::kRope;
  if (fused.embedding) return Family::kGather;  // what else is there masks or adds rows
  if (fused.argmax) return Family::kSampling;
  if (fused.norm || (fused.mean && fused.rsqrt)) return Family::kNorm;
  if (fused.pool) return Family::kReduce;
  return Family::kElementwise;
}

Family reduction_family(const FusedOps& fused) {
  if (fused.argmax) return Family::kSampling;
  if (fused.rsqrt || fused.norm) return Family::kNorm;
  if (fused.abs && fused.amax && fused.clamp) return Family::kQuantise;  // scales from the largest
  return Family::kReduce;
}

Family template_family(const FusedOps& fused) {
  if (fused.attention && !fused.matmul) return Family::kAttention;
  return fused.convolution && !fused.matmul ? Family::kConv : Family::kGemm;
}

}  // namespace

void read_nothing(const NameTokens&, std::size_t, KernelName&) {}

void read_inductor(const NameTokens& tokens, std::size_t at, KernelName& name) {
  constexpr std::string_view kStart = "triton_poi_";  // the kinds all have three letters
  std::string_view text = tokens[at].text();
  if (text.size() <= kStart.size()) return;
  const std::string_view kind = text.substr(7, 3);
  text.remove_prefix(kStart.size());
  if (text.starts_with("fused_")) text.remove_prefix(6);
  const std::size_t number = text.find_last_not_of("0123456789");
  if (number == std::string_view::npos) {
    text = {};  // triton_poi_fused_0
  } else if (text[number] == '_') {
    text = text.substr(0, number);
  }
  const FusedOps fused = fused_ops(text);
  name.op = fused.text;
  if (kind == "poi") {
    name.family = pointwise_family(fused);
  } else if (kind == "tem") {
    name.family = template_family(fused);
  } else {
    name.family = reduction_family(fused);
  }
}

}  // namespace tactus::names
