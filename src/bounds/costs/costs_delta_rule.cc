// Linear attention with a gated delta rule, and the short convolution before it. A state of key_dim
// x value_dim per head is read with the queries and corrected with the keys.
//
// Token by token that is vector work, but a chunk of tokens can be computed as products of
// matrices. So the strict model charges the matrix units with the part that every chunk size needs:
// three products of 2 key_dim value_dim flops per token (keys with the state, queries with the
// state, correction).
#include <algorithm>
#include <cmath>

#include "bounds/costs/cost_entry.h"

namespace tactus {
namespace {

constexpr double kFp32Bytes = 4;
constexpr double kInt32Bytes = 4;

struct DeltaRuleShape {
  double batch, tokens, key_heads, v_heads, key_dim, value_dim;
  double steps;        ///< batch x tokens
  double state_bytes;  ///< of all heads of one sequence, fp32
  double e;            ///< bytes of one activation

  DeltaRuleShape(Dimensions& dims, std::string_view key_heads_name)
      : batch(dims.size("batch")),
        tokens(dims.size("tokens")),
        key_heads(dims.size(key_heads_name)),
        v_heads(dims.size("v_heads")),
        key_dim(dims.size("key_dim")),
        value_dim(dims.size("value_dim")),
        steps(batch * tokens),
        state_bytes(kFp32Bytes * v_heads * key_dim * value_dim),
        e(dims.element_bytes()) {}

  double state_size() const { return key_dim * value_dim; }
};

/// Scores of a token with itself and those before it in its chunk; the last chunk may be short.
double causal_pairs(double tokens, double chunk) {
  const double full = std::floor(tokens / chunk);
  const double rest = tokens - full * chunk;
  return full * chunk * (chunk + 1) / 2 + rest * (rest + 1) / 2;
}

PublishedCost chunk_delta_rule_output_published(Dimensions& dims) {
  const DeltaRuleShape s(dims, "q_heads");
  const double c = dims.size("chunk");
  const double chunks = ceil_div(s.tokens, c);
  const double chunk_flops = 2 * c * s.state_size() + 2 * c * c * s.key_dim +
                             2 * c * c * s.value_dim + 3 * c * s.value_dim + 2 * c * c;
  return {.flops = s.batch * s.v_heads * chunks * chunk_flops,
          .read_bytes = 2 * s.e * s.steps * s.key_heads * s.key_dim +
                        s.e * s.steps * s.v_heads * s.value_dim +
                        s.e * s.batch * chunks * s.v_heads * s.state_size() +
                        kFp32Bytes * s.steps * s.v_heads,
          .write_bytes = s.e * s.steps * s.v_heads * s.value_dim};
}

Cost chunk_delta_rule_output(Dimensions& dims) {
  const PublishedCost published = chunk_delta_rule_output_published(dims);
  const DeltaRuleShape s(dims, "q_heads");
  const double pairs = s.batch * causal_pairs(s.tokens, dims.size("chunk"));
  // Heads of v that share a head of q and k share its scores too.
  const double score_heads = std::min(s.key_heads, s.v_heads);
  const double matrix = 2 * s.steps * s.v_heads * s.state_size() +
                        2 * pairs * (score_heads * s.key_dim + s.v_heads * s.value_dim);
  // One decay or mask per score, one exp per token, one scale per output.
  const double vector = pairs * s.v_heads + s.steps * s.v_heads * (1 + s.value_dim);
  return {.work = {matrix_work(dims.dtype(), matrix), vector_work(dims.dtype(), vector)},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

PublishedCost chunk_gated_delta_rule_state_published(Dimensions& dims) {
  const DeltaRuleShape s(dims, "k_heads");
  const double chunks = ceil_div(s.tokens, dims.size("chunk"));
  const double rows = std::min(s.batch, dims.size("states"));
  const double token_flops = 4 * s.state_size() + 2 * s.value_dim + 1;
  return {.flops = s.batch * s.v_heads * (s.tokens * token_flops + 2 * chunks * s.state_size()),
          .read_bytes =
              s.e * s.steps *
                  (s.key_heads * s.key_dim + s.v_heads * s.key_dim + s.v_heads * s.value_dim) +
              kFp32Bytes * s.steps * s.v_heads + rows * s.state_bytes + kInt32Bytes * s.batch,
          .write_bytes = s.e * s.batch * chunks * s.v_heads * s.state_size() +
                         s.e * s.steps * s.v_heads * s.value_dim + rows * s.state_bytes};
}

Cost chunk_gated_delta_rule_state(Dimensions& dims) {
  const PublishedCost published = chunk_gated_delta_rule_state_published(dims);
  const DeltaRuleShape s(dims, "k_heads");
  const double chunks = ceil_div(s.tokens, dims.size("chunk"));
  // Per token: an exp, and subtracting and decaying its value. Per chunk: decaying the state; the
  // product is added to it as it is computed.
  const double vector =
      s.steps * s.v_heads * (2 * s.value_dim + 1) + s.batch * s.v_heads * chunks * s.state_size();
  return {.work = {matrix_work(dims.dtype(), 4 * s.steps * s.v_heads * s.state_size()),
                   vector_work(dims.dtype(), vector)},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

/// Everything except the states: gates, queries and keys, values, and the owners of the states.
double update_input_bytes(const DeltaRuleShape& s) {
  return (kFp32Bytes + s.e) * s.v_heads + 2 * s.e * s.steps * s.v_heads +
         2 * s.e * s.steps * s.key_heads * s.key_dim + s.e * s.steps * s.v_heads * s.value_dim +
         kInt32Bytes * s.batch;
}

PublishedCost gated_delta_rule_update_published(Dimensions& dims) {
  const DeltaRuleShape s(dims, "q_heads");
  const double pool_bytes = dims.size("states") * s.state_bytes;
  return {.flops = s.steps * s.v_heads * (7 * s.state_size() + 3 * s.key_dim + 2),
          .read_bytes = update_input_bytes(s) + pool_bytes,
          .write_bytes = s.e * s.steps * s.v_heads * s.value_dim + pool_bytes};
}

/// Of the state and of its correction, next to bf16 keys: so much the allowed error asks for.
constexpr double kStateBits = 20;

Cost gated_delta_rule_update(Dimensions& dims) {
  const DeltaRuleShape s(dims, "q_heads");
  const double touched_bytes = std::min(s.batch, dims.size("states")) * s.state_bytes;
  // Norms of q and k, 3 per element; the error, its gate and the scale of the output, 3 per element
  // of v; the exponentials of the two gates; one decay of the state, for any chunk length.
  const double vector =
      s.steps * (2 * s.key_heads * 3 * s.key_dim + s.v_heads * (3 * s.value_dim + 3)) +
      s.batch * s.v_heads * s.state_size();
  return {.work = {matrix_work(dims.dtype(), 6 * s.steps * s.v_heads * s.state_size(), kStateBits),
                   vector_work(dims.dtype(), vector)},
          .read_bytes = update_input_bytes(s) + touched_bytes,
          .write_bytes = s.e * s.steps * s.v_heads * s.value_dim + touched_bytes};
}

PublishedCost causal_conv1d_published(Dimensions& dims) {
  const double channels = dims.size("channels");
  const double tokens = dims.size("tokens");
  const double width = dims.size("width");
  const double e = dims.element_bytes();
  return {.flops = channels * tokens * (2 * width + 4),
          .read_bytes = e * channels * (tokens + width + 1 + (width - 1)),
          .write_bytes = e * channels * tokens};
}

Cost causal_conv1d(Dimensions& dims) {
  constexpr double kSiluFlops = 3;  // exp, add, divide
  const PublishedCost published = causal_conv1d_published(dims);
  const double results = dims.size("channels") * dims.size("tokens");
  return {.work = {matrix_work(dims.dtype(), 2 * dims.size("width") * results),
                   vector_work(dims.dtype(), kSiluFlops * results)},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

constexpr CostEntry kEntries[] = {
    {.formula = {.operator_name = "chunk_delta_rule_output",
                 .work = "batch v_heads chunks (2 c key_dim value_dim + 2 c^2 key_dim + "
                         "2 c^2 value_dim + 3 c value_dim + 2 c^2), c = chunk, "
                         "chunks = ceil(tokens / c)",
                 .read = "batch tokens (2 e q_heads key_dim + e v_heads value_dim + 4 v_heads) + "
                         "e batch chunks v_heads key_dim value_dim",
                 .write = "e batch tokens v_heads value_dim",
                 .strict = "the causal half of each chunk, no padded tokens, scores once per head "
                           "of q; decay and scale on the vector units"},
     .catalogue = chunk_delta_rule_output_published,
     .strict = chunk_delta_rule_output},
    {.formula = {.operator_name = "chunk_gated_delta_rule_state",
                 .work = "batch v_heads (tokens (4 key_dim value_dim + 2 value_dim + 1) + "
                         "2 chunks key_dim value_dim), chunks = ceil(tokens / chunk)",
                 .read = "batch tokens (e k_heads key_dim + e v_heads (key_dim + value_dim) + "
                         "4 v_heads) + 4 min(batch, states) v_heads key_dim value_dim + 4 batch",
                 .write = "e batch chunks v_heads key_dim value_dim + "
                          "e batch tokens v_heads value_dim + "
                          "4 min(batch, states) v_heads key_dim value_dim",
                 .strict = "decay on the vector units"},
     .catalogue = chunk_gated_delta_rule_state_published,
     .strict = chunk_gated_delta_rule_state},
    {.formula = {.operator_name = "gated_delta_rule_update",
                 .work = "batch tokens v_heads (7 key_dim value_dim + 3 key_dim + 2)",
                 .read = "(4 + e) v_heads + batch tokens (2 e v_heads + 2 e q_heads key_dim + "
                         "e v_heads value_dim) + 4 states v_heads key_dim value_dim + 4 batch",
                 .write = "e batch tokens v_heads value_dim + "
                          "4 states v_heads key_dim value_dim",
                 .strict = "only the states of the batch; three products per token on the matrix "
                           "units, as chunks allow, with 20 bits of the state; norms and gates on "
                           "the vector units"},
     .catalogue = gated_delta_rule_update_published,
     .strict = gated_delta_rule_update},
    {.formula = {.operator_name = "causal_conv1d",
                 .work = "channels tokens (2 width + 4)",
                 .read = "e channels (tokens + 2 width)",
                 .write = "e channels tokens",
                 .strict = "the sums of products on the matrix units (with a banded matrix), silu "
                           "on the vector units"},
     .catalogue = causal_conv1d_published,
     .strict = causal_conv1d},
};

}  // namespace

std::span<const CostEntry> delta_rule_costs() {
  return kEntries;
}

}  // namespace tactus
