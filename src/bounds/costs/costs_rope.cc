// Rotary positions, and writing keys and values to the cache.
//
// Strict: operators of the catalogue have outputs of their own, so v and the numbers that do not
// turn are copied. The cache is changed in place and written only for the new tokens; so is what
// the generic rope turns. Turning a pair of numbers takes 4 multiplications and 2 additions, 3 per
// number.

#include "bounds/costs/cost_entry.h"

namespace tactus {
namespace {

constexpr double kFp32Bytes = 4;
constexpr double kInt32Bytes = 4;
constexpr double kInt64Bytes = 8;
constexpr double kTurnFlops = 3;

/// Turns `numbers` of `moved`; `table_bytes` of positions or of sines and cosines.
Cost turned(const Dimensions& dims, double numbers, double moved, double table_bytes) {
  const double bytes = dims.element_bytes() * moved;
  return {.work = {vector_work(dims.dtype(), kTurnFlops * numbers)},
          .read_bytes = bytes + table_bytes,
          .write_bytes = bytes};
}

/// Splits qkv and turns q and k.
PublishedCost fused_qkv_rope_published(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double heads = dims.size("heads");
  const double kv_heads = dims.size("kv_heads");
  const double rope_dim = dims.amount("rope_dim");
  const double bytes =
      dims.element_bytes() * tokens * (heads + 2 * kv_heads) * dims.size("head_dim");
  return {
      .flops = kTurnFlops * tokens * (heads + kv_heads) * rope_dim + rope_dim / 2 * (tokens + 2),
      .read_bytes = bytes + kInt32Bytes * tokens,
      .write_bytes = bytes};
}

Cost fused_qkv_rope(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double kv_heads = dims.size("kv_heads");
  const double heads = dims.size("heads") + kv_heads;
  return turned(dims, tokens * heads * dims.amount("rope_dim"),
                tokens * (heads + kv_heads) * dims.size("head_dim"), kInt32Bytes * tokens);
}

/// Sines and cosines come for three planes (time, height, width) of positions.
PublishedCost mrope_published(Dimensions& dims) {
  constexpr double kPlanes = 3;
  const double tokens = dims.size("tokens");
  const double heads = dims.size("heads") + dims.size("kv_heads");
  const double rope_dim = dims.amount("rope_dim");
  const double bytes = dims.element_bytes() * tokens * heads * dims.size("head_dim");
  return {.flops = kTurnFlops * tokens * heads * rope_dim,
          .read_bytes = bytes + 2 * kFp32Bytes * kPlanes * tokens * (rope_dim / 2),
          .write_bytes = bytes};
}

Cost mrope(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double heads = dims.size("heads") + dims.size("kv_heads");
  const double rope_dim = dims.amount("rope_dim");
  return turned(dims, tokens * heads * rope_dim, tokens * heads * dims.size("head_dim"),
                2 * kFp32Bytes * tokens * (rope_dim / 2));
}

PublishedCost reshape_and_cache_published(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double token_bytes = 2 * dims.element_bytes() * dims.size("heads") * dims.size("head_dim");
  const double block_size = dims.size("block_size");
  const double cache_bytes = ceil_div(tokens, block_size) * block_size * token_bytes;
  return {.read_bytes = tokens * token_bytes + cache_bytes + kInt64Bytes * tokens,
          .write_bytes = cache_bytes};
}

Cost reshape_and_cache(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double token_bytes = 2 * dims.element_bytes() * dims.size("heads") * dims.size("head_dim");
  // Padding goes nowhere, and need not be read.
  const double bytes = dims.drawn("stored").value_or(tokens) * token_bytes;
  return {.read_bytes = bytes + kInt64Bytes * tokens, .write_bytes = bytes};
}

Cost rope(Dimensions& dims) {
  const double numbers = dims.size("tokens") * dims.size("heads") * dims.size("rope_dim");
  return turned(dims, numbers, numbers, dims.amount_or("table_bytes", 0));
}

constexpr CostEntry kEntries[] = {
    {.formula = {.operator_name = "fused_qkv_rope",
                 .work = "3 tokens (heads + kv_heads) rope_dim + (rope_dim / 2) (tokens + 2)",
                 .read = "e tokens (heads + 2 kv_heads) head_dim + 4 tokens",
                 .write = "e tokens (heads + 2 kv_heads) head_dim",
                 .strict = "on the vector units"},
     .catalogue = fused_qkv_rope_published,
     .strict = fused_qkv_rope},
    {.formula = {.operator_name = "mrope",
                 .work = "3 tokens (heads + kv_heads) rope_dim",
                 .read = "e tokens (heads + kv_heads) head_dim + 24 tokens rope_dim / 2",
                 .write = "e tokens (heads + kv_heads) head_dim",
                 .strict = "each frequency reads one of the three planes of sines and cosines; "
                           "on the vector units"},
     .catalogue = mrope_published,
     .strict = mrope},
    {.formula = {.operator_name = "reshape_and_cache",
                 .work = "",
                 .read = "2 e tokens heads head_dim + cache + 8 tokens, "
                         "cache = 2 e ceil(tokens / block_size) block_size heads head_dim",
                 .write = "cache",
                 .strict = "in place: reads and writes the new tokens only, without padding"},
     .catalogue = reshape_and_cache_published,
     .strict = reshape_and_cache},
    {.formula = {.operator_name = "rope",
                 .work = "3 tokens heads rope_dim",
                 .read = "e tokens heads rope_dim + table_bytes",
                 .write = "e tokens heads rope_dim",
                 .strict = ""},
     .strict = rope},
};

}  // namespace

std::span<const CostEntry> rope_costs() {
  return kEntries;
}

}  // namespace tactus
