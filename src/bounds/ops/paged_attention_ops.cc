#include <algorithm>

#include "bounds/ops/op_readers.h"

namespace tactus {
namespace {

/// Where an op of a serving engine has its arguments; -1: none. q is [tokens, heads, dim].
struct PagedOp {
  std::string_view name;
  int q = 0;
  int k = 1;           ///< v is the next one
  bool fresh = false;  ///< k and v are those of the step, and the cache is not an argument
  int window = -1;     ///< how far a query looks back; after it, how far ahead
};

// Signatures of vLLM, flash-attention (vLLM's and SGLang's builds) and AITER.
constexpr PagedOp kPagedOps[] = {
    {.name = "unified_attention_with_output", .q = 0, .k = 1, .fresh = true, .window = -1},
    {.name = "unified_attention", .q = 0, .k = 1, .fresh = true, .window = -1},
    {.name = "mha_batch_prefill", .q = 0, .k = 1, .fresh = false, .window = 13},
    {.name = "fwd", .q = 0, .k = 1, .fresh = false, .window = 25},
    {.name = "varlen_fwd", .q = 0, .k = 1, .fresh = false, .window = 16},
    {.name = "paged_attention_v1", .q = 1, .k = 2, .fresh = false, .window = -1},
    {.name = "paged_attention_v2", .q = 4, .k = 5, .fresh = false, .window = -1},
    {.name = "paged_attention", .q = 4, .k = 5, .fresh = false, .window = -1},
    {.name = "paged_attention_ragged", .q = 2, .k = 3, .fresh = false, .window = -1},
};

struct Heads {
  std::int64_t tokens = 0, heads = 0, kv_heads = 0, dim = 0, dim_v = 0;
};

/// Heads of k: [tokens, heads, dim], [pages, page, heads, dim] or [pages, heads, dim / x, page, x].
std::int64_t heads_of_keys(const TensorArgument& k) {
  if (k.dims.size() == 3 || k.dims.size() == 5) return k.dims[1];
  return k.dims.size() == 4 ? k.dims[2] : 0;
}

std::optional<Heads> heads_of(const TensorArgument& q, const TensorArgument& k,
                              const TensorArgument& v) {
  if (q.dims.size() != 3) return std::nullopt;
  Heads heads = {.tokens = q.dims[0],
                 .heads = q.dims[1],
                 .kv_heads = heads_of_keys(k),
                 .dim = q.dims[2],
                 .dim_v = k.dims.size() < 5 && !v.dims.empty() ? v.dims.back() : q.dims[2]};
  if (heads.heads <= 0 || heads.kv_heads <= 0 || heads.heads % heads.kv_heads != 0) {
    return std::nullopt;
  }
  return heads;
}

/// Bytes of a number in the cache. If the op does not have the cache as an argument, an op inside
/// shows it: the largest tensor with rows of a head. One byte is certain otherwise.
double cache_bytes(const OpCall& call, const PagedOp& op, const TensorArgument& k,
                   const Heads& heads) {
  if (!op.fresh) return k.type ? bytes_of(*k.type) : 1;
  const TensorArgument* cache = nullptr;
  for (const OpCall& inner : call.inner) {
    for (const TensorArgument* tensor : inner.tensors()) {
      if (tensor->dims.size() < 4 || tensor->dims.back() != heads.dim || !tensor->type) continue;
      if (cache == nullptr || tensor->elements() > cache->elements()) cache = tensor;
    }
  }
  return cache != nullptr ? bytes_of(*cache->type) : 1;
}

/// The part of a step that a call works on. A step may be split into one call for its prompts and
/// one for the rest; the inputs of a captured graph may be longer than the step (padding).
std::optional<LengthSums> lengths_of_call(const StepLengths& step, std::int64_t tokens,
                                          bool fresh) {
  const LengthSums all = step.all();
  if (all.queries == tokens || (fresh && all.queries < tokens)) return all;
  if (step.context.queries == tokens) return step.context;
  if (step.generation.queries == tokens) return step.generation;
  if (all.queries < tokens) return all;
  return std::nullopt;
}

/// Pairs of a query and a key under a causal mask whose last query sees the last key: all pairs of
/// a sequence but those after the diagonal. What is not recorded is as small as it can be.
double causal_pairs(const LengthSums& sums) {
  const auto queries = static_cast<double>(sums.queries);
  // Squares are least if all sequences are equally long.
  const double squares =
      sums.query_squares
          ? static_cast<double>(*sums.query_squares)
          : queries * queries / static_cast<double>(std::max<std::int64_t>(sums.sequences, 1));
  const double products =
      sums.query_keys ? static_cast<double>(*sums.query_keys) : squares;  // no earlier keys
  return products - (squares - queries) / 2;
}

struct Seen {
  double queries = 0, keys = 0, pairs = 0;
};

Result<OpShape> paged_shape(const Heads& heads, NumberType type, double kv_bytes, const Seen& seen,
                            std::string label) {
  const auto value = [](std::int64_t number) { return static_cast<double>(number); };
  Result<OpShape> shape = op_shape("attention_over_pages", type,
                                   {{"heads", value(heads.heads)},
                                    {"kv_heads", value(heads.kv_heads)},
                                    {"head_dim", value(heads.dim)},
                                    {"head_dim_v", value(heads.dim_v)},
                                    {"queries", seen.queries},
                                    {"keys", seen.keys},
                                    {"pairs", seen.pairs},
                                    {"kv_bits", 8 * kv_bytes}},
                                   std::move(label));
  if (shape) shape->evidence = ShapeEvidence::kAnnotation;
  return shape;
}

std::string count_text(double count) {
  return std::to_string(static_cast<std::int64_t>(std::clamp(count, 0.0, 1e15)));
}

bool has_window(const ReadOp& op, const PagedOp& known) {
  if (op.kernel.windowed) return true;
  if (known.window < 0) return false;
  const std::string_view back = op.call.value(static_cast<std::size_t>(known.window));
  return !back.empty() && back != "-1";
}

Result<OpShape> read_paged(const ReadOp& op, const PagedOp& known) {
  const OpCall& call = op.call;
  const TensorArgument* q = call.tensor(static_cast<std::size_t>(known.q));
  const TensorArgument* k = call.tensor(static_cast<std::size_t>(known.k));
  const TensorArgument* v = call.tensor(static_cast<std::size_t>(known.k) + 1);
  if (!call.step) return input_error(std::string(kUnknownLengths));
  if (q == nullptr || k == nullptr || v == nullptr || !q->type) return odd_inputs();
  const std::optional<Heads> heads = heads_of(*q, *k, *v);
  if (!heads) return input_error(std::string(kUnknownLengths));
  const std::optional<LengthSums> sums = lengths_of_call(*call.step, heads->tokens, known.fresh);
  if (!sums || sums->queries == 0) return input_error(std::string(kUnknownLengths));

  const double kv_bytes = cache_bytes(call, known, *k, *heads);
  const auto queries = static_cast<double>(sums->queries);
  const std::string sizes = "q " + count_text(queries) + "x" + std::to_string(heads->heads) + "x" +
                            std::to_string(heads->dim) + ", ";
  const std::string type(number_type_name(*q->type));
  // A window of unknown size: each query sees its own key at least.
  Result<OpShape> own = paged_shape(*heads, *q->type, kv_bytes,
                                    {.queries = queries, .keys = queries, .pairs = queries},
                                    sizes + "a window of keys, " + type);
  if (!own) return own;
  own->at_least = true;
  if (has_window(op, known)) return own;

  const double keys = sums->keys ? static_cast<double>(*sums->keys) : queries;
  Result<OpShape> shape = paged_shape(
      *heads, *q->type, kv_bytes, {.queries = queries, .keys = keys, .pairs = causal_pairs(*sums)},
      sizes + count_text(keys) + " keys of " + std::to_string(heads->kv_heads) + " heads, " + type);
  if (!shape) return shape;
  shape->at_least = !sums->keys.has_value();
  // Annotations are about steps. A layer with a window reads less, and only its time shows it.
  shape->if_faster.push_back(std::move(*own));
  return shape;
}

bool is_paged_attention(std::string_view base) {
  return base.find("attention") != std::string_view::npos ||
         base.find("mha_") != std::string_view::npos || base.find("_mha") != base.npos ||
         base.find("mla_decode") != std::string_view::npos ||
         is_one_of(base, {"varlen_fwd", "fwd_kvcache", "mha_fwd", "fmha_v3_varlen_fwd"});
}

}  // namespace

OpReading read_paged_attention_op(const ReadOp& op) {
  for (const PagedOp& known : kPagedOps) {
    if (op.base != known.name) continue;
    // Other projects call other things "fwd".
    if (op.base == "fwd" && op.kernel.family != Family::kAttention) continue;
    return read_paged(op, known);
  }
  if (is_paged_attention(op.base)) return input_error(std::string(kUnknownLengths));
  return std::nullopt;
}

}  // namespace tactus
