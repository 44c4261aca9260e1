#include <algorithm>
#include <charconv>

#include "bounds/ops/op_readers.h"

namespace tactus {
namespace {

/// The layout of q, k and v in an op: [batch, length, heads, dim] or [batch, heads, length, dim],
/// and the places of the other arguments (-1: none).
struct AttentionOp {
  std::string_view name;
  bool heads_first = false;
  int cumulative = -1;  ///< lengths of packed sequences, as a running sum; then q is 3-dimensional
  int longest = -1;     ///< length of the longest q; that of k comes after it
  int causal = -1;
  int window = -1;  ///< how far a query looks back; after it, how far ahead
};

constexpr AttentionOp kAttentionOps[] = {
    {.name = "_flash_attention_forward",
     .heads_first = false,
     .cumulative = 3,
     .longest = 5,
     .causal = 8,
     .window = 11},
    {.name = "_efficient_attention_forward",
     .heads_first = false,
     .cumulative = 4,
     .longest = 6,
     .causal = 9,
     .window = -1},
    {.name = "_cudnn_attention_forward",
     .heads_first = true,
     .cumulative = 4,
     .longest = 6,
     .causal = 10,
     .window = -1},
    {.name = "_scaled_dot_product_flash_attention",
     .heads_first = true,
     .cumulative = -1,
     .longest = -1,
     .causal = 4,
     .window = -1},
    {.name = "_scaled_dot_product_efficient_attention",
     .heads_first = true,
     .cumulative = -1,
     .longest = -1,
     .causal = 6,
     .window = -1},
    {.name = "_scaled_dot_product_cudnn_attention",
     .heads_first = true,
     .cumulative = -1,
     .longest = -1,
     .causal = 6,
     .window = -1},
};

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view value_at(const OpCall& call, int place) {
  return place < 0 ? std::string_view() : call.value(static_cast<std::size_t>(place));
}

struct Lengths {
  std::int64_t batch = 0, heads = 0, kv_heads = 0, dim = 0, dim_v = 0, q = 0, kv = 0;
};

std::optional<Lengths> lengths_of(const TensorArgument& q, const TensorArgument& k,
                                  const TensorArgument& v, bool heads_first) {
  if (q.dims.size() != 4 || k.dims.size() != 4 || v.dims.size() != 4) return std::nullopt;
  const std::size_t heads = heads_first ? 1 : 2;
  const std::size_t length = heads_first ? 2 : 1;
  Lengths lengths = {.batch = q.dims[0],
                     .heads = q.dims[heads],
                     .kv_heads = k.dims[heads],
                     .dim = q.dims[3],
                     .dim_v = v.dims[3],
                     .q = q.dims[length],
                     .kv = k.dims[length]};
  if (k.dims[0] != lengths.batch || k.dims[3] != lengths.dim || v.dims[length] != lengths.kv) {
    return std::nullopt;
  }
  // Expanded heads are one head in memory.
  if (k.strides.size() == 4 && k.strides[heads] == 0) lengths.kv_heads = 1;
  return lengths;
}

/// Packed sequences [tokens, heads, dim] have known lengths if all are as long as the longest.
std::optional<Lengths> packed_lengths(const OpCall& call, const AttentionOp& op,
                                      const TensorArgument& q, const TensorArgument& k,
                                      const TensorArgument& v) {
  if (op.cumulative < 0 || q.dims.size() != 3 || k.dims.size() != 3 || v.dims.size() != 3) {
    return std::nullopt;
  }
  const TensorArgument* ends = call.tensor(static_cast<std::size_t>(op.cumulative));
  const std::optional<std::int64_t> longest_q = number(value_at(call, op.longest));
  const std::optional<std::int64_t> longest_kv = number(value_at(call, op.longest + 1));
  if (ends == nullptr || ends->dims.size() != 1 || !longest_q || !longest_kv) return std::nullopt;
  const std::int64_t batch = ends->dims[0] - 1;
  if (batch <= 0 || *longest_q <= 0 || *longest_kv <= 0 || q.dims[0] % batch != 0 ||
      q.dims[0] / batch != *longest_q || k.dims[0] % batch != 0 ||
      k.dims[0] / batch != *longest_kv) {
    return std::nullopt;
  }
  return Lengths{.batch = batch,
                 .heads = q.dims[1],
                 .kv_heads = k.dims[1],
                 .dim = q.dims[2],
                 .dim_v = v.dims[2],
                 .q = *longest_q,
                 .kv = *longest_kv};
}

/// "False" and, where masks have numbers, "0" mean that every query sees every key. If it is not
/// recorded, causal is assumed, which is less work.
bool is_causal(std::string_view text) {
  return text != "False" && text != "0";
}

Result<OpShape> read(const OpCall& call, const AttentionOp& op) {
  const TensorArgument* q = call.tensor(0);
  const TensorArgument* k = call.tensor(1);
  const TensorArgument* v = call.tensor(2);
  if (q == nullptr || k == nullptr || v == nullptr || !q->type) return odd_inputs();
  for (const int place : {op.window, op.window + 1}) {
    const std::string_view window = op.window < 0 ? "" : value_at(call, place);
    if (!window.empty() && window != "-1") return input_error(std::string(kUnknownLengths));
  }
  std::optional<Lengths> lengths = lengths_of(*q, *k, *v, op.heads_first);
  if (!lengths) lengths = packed_lengths(call, op, *q, *k, *v);
  if (!lengths) return input_error(std::string(kUnknownLengths));
  const bool causal = is_causal(value_at(call, op.causal));
  // The mask may be aligned to the first or the last key; the first is less work.
  if (causal) lengths->kv = std::min(lengths->kv, lengths->q);
  const auto value = [](std::int64_t number) { return static_cast<double>(number); };
  return op_shape("attention", *q->type,
                  {{"batch", value(lengths->batch)},
                   {"heads", value(lengths->heads)},
                   {"kv_heads", value(lengths->kv_heads)},
                   {"head_dim", value(lengths->dim)},
                   {"head_dim_v", value(lengths->dim_v)},
                   {"q_len", value(lengths->q)},
                   {"kv_len", value(lengths->kv)},
                   {"causal", causal ? 1.0 : 0.0}},
                  "q " + dims_text(q->dims) + ", k " + dims_text(k->dims) +
                      (causal ? ", causal, " : ", ") + std::string(number_type_name(*q->type)));
}

}  // namespace

OpReading read_attention_op(const ReadOp& op) {
  for (const AttentionOp& known : kAttentionOps) {
    if (op.base == known.name) return read(op.call, known);
  }
  return read_paged_attention_op(op);
}

}  // namespace tactus
