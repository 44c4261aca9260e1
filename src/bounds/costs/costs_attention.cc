// Attention: scores = q k^T, weights = softmax(scores), out = weights v.
//
// Strict: both products go to the matrix units, 2 dim flops per score each. The vector units do at
// least the maximum, the subtraction and the exponential of each score (their sum may be one more
// column of v, and the scale is folded into the queries), and one multiplication per output
// element.
#include <algorithm>

#include "bounds/costs/cost_entry.h"

namespace tactus {
namespace {

constexpr double kInt32Bytes = 4;
constexpr double kVectorFlopsPerScore = 3;

/// Sums over the sequences of a batch.
struct SequenceSums {
  double sequences = 0;
  double tokens = 0;
  double square_pairs = 0;  ///< each token sees its whole sequence
  double causal_pairs = 0;  ///< each token sees itself and the tokens before it
  double blocks = 0;        ///< pages of the cache, the last may be partly filled
};

SequenceSums sum_up(std::span<const SequenceRun> runs, double block_size) {
  SequenceSums sums;
  for (const SequenceRun& run : runs) {
    const auto length = static_cast<double>(run.length);
    const auto count = static_cast<double>(run.count);
    sums.sequences += count;
    sums.tokens += count * length;
    sums.square_pairs += count * (length * length);
    sums.causal_pairs += count * (length * (length + 1) / 2);
    sums.blocks += count * ceil_div(length, block_size);
  }
  return sums;
}

std::vector<Work> attention_work(NumberType type, double scores, double dim_qk, double dim_v,
                                 double out_elements) {
  return {matrix_work(type, 2 * scores * (dim_qk + dim_v)),
          vector_work(type, kVectorFlopsPerScore * scores + out_elements)};
}

PublishedCost attention_forward_published(Dimensions& dims) {
  const SequenceSums sums = sum_up(dims.sequences(), 1);
  const double width = dims.size("heads") * dims.size("head_dim");
  const double e = dims.element_bytes();
  return {.flops = 4 * width * sums.square_pairs,
          .read_bytes = 3 * e * sums.tokens * width + 2 * kInt32Bytes * (sums.sequences + 1),
          .write_bytes = e * sums.tokens * width};
}

Cost attention_forward(Dimensions& dims) {
  const SequenceSums sums = sum_up(dims.sequences(), 1);
  const double heads = dims.size("heads");
  const double dim = dims.size("head_dim");
  const double elements = sums.tokens * heads * dim;
  const double e = dims.element_bytes();
  return {.work = attention_work(dims.dtype(), heads * sums.square_pairs, dim, dim, elements),
          .read_bytes = 3 * e * elements + 2 * kInt32Bytes * (sums.sequences + 1),
          .write_bytes = e * elements};
}

PublishedCost unified_attention_published(Dimensions& dims) {
  const SequenceSums sums = sum_up(dims.sequences(), dims.size("block_size"));
  const double heads = dims.size("heads");
  const double kv_heads = dims.size("kv_heads");
  const double dim = dims.size("head_dim");
  const double e = dims.element_bytes();
  const double indices = (sums.sequences + 1) + sums.sequences + sums.blocks;
  return {.flops = 4 * heads * dim * sums.causal_pairs,
          .read_bytes = e * sums.tokens * (heads + 2 * kv_heads) * dim + kInt32Bytes * indices,
          .write_bytes = e * sums.tokens * heads * dim};
}

Cost unified_attention(Dimensions& dims) {
  const PublishedCost published = unified_attention_published(dims);
  const SequenceSums sums = sum_up(dims.sequences(), dims.size("block_size"));
  const double heads = dims.size("heads");
  const double dim = dims.size("head_dim");
  return {.work = attention_work(dims.dtype(), heads * sums.causal_pairs, dim, dim,
                                 sums.tokens * heads * dim),
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

PublishedCost paged_attention_decode_published(Dimensions& dims) {
  constexpr double kSpareBlocks = 16;
  const double sequences = dims.size("sequences");
  const double context = dims.size("context");
  const double query = dims.size("heads") * dims.size("head_dim");
  const double cached = dims.size("kv_heads") * dims.size("head_dim");
  const double block_size = dims.size("block_size");
  const double e = dims.element_bytes();
  const double table = sequences * ceil_div(context, block_size);
  return {.flops = sequences * (4 * query * context + 2 * context),
          .read_bytes = e * sequences * query +
                        2 * e * (table + kSpareBlocks) * cached * block_size +
                        kInt32Bytes * (table + sequences),
          .write_bytes = e * sequences * query};
}

Cost paged_attention_decode(Dimensions& dims) {
  const double sequences = dims.size("sequences");
  const double context = dims.size("context");
  const double heads = dims.size("heads");
  const double dim = dims.size("head_dim");
  const double cached = dims.size("kv_heads") * dim;
  const double table = sequences * ceil_div(context, dims.size("block_size"));
  const double query = sequences * heads * dim;
  const double e = dims.element_bytes();
  return {.work = attention_work(dims.dtype(), sequences * heads * context, dim, dim, query),
          .read_bytes =
              e * query + 2 * e * sequences * context * cached + kInt32Bytes * (table + sequences),
          .write_bytes = e * query};
}

PublishedCost mla_decode_attention_published(Dimensions& dims) {
  const double batch = dims.size("batch");
  const double heads = dims.size("heads");
  const double context = dims.size("context");
  const double latent = dims.size("latent");
  const double dim = latent + dims.amount("rope_dim");
  const double e = dims.element_bytes();
  return {.flops = batch * heads * (2 * context * (dim + latent) + dim + context * dim),
          .read_bytes = e * batch * heads * dim + e * batch * context * dim + kInt32Bytes * batch,
          .write_bytes = e * batch * heads * latent};
}

Cost mla_decode_attention(Dimensions& dims) {
  const PublishedCost published = mla_decode_attention_published(dims);
  const double heads = dims.size("batch") * dims.size("heads");
  const double latent = dims.size("latent");
  return {.work = attention_work(dims.dtype(), heads * dims.size("context"),
                                 latent + dims.amount("rope_dim"), latent, heads * latent),
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

/// The last query sees the last key, as in a step that continues a sequence. Queries before the
/// first key see nothing; their output is still written.
Cost attention(Dimensions& dims) {
  const double batch = dims.size_or("batch", 1);
  const double heads = dims.size("heads");
  const double kv_heads = dims.size_or("kv_heads", heads);
  const double dim = dims.size("head_dim");
  const double dim_v = dims.size_or("head_dim_v", dim);
  const double queries = dims.size("q_len");
  const double keys = dims.amount("kv_len");
  const bool causal = dims.amount_or("causal", 0) != 0;
  const double seeing = causal ? std::min(queries, keys) : queries;
  const double masked = causal ? seeing * (seeing - 1) / 2 : 0;
  const double scores = batch * heads * (seeing * keys - masked);
  const double out = batch * heads * queries * dim_v;
  const double e = dims.element_bytes();
  return {.work = attention_work(dims.dtype(), scores, dim, dim_v,
                                 keys > 0 ? batch * heads * seeing * dim_v : 0),
          .read_bytes =
              keys > 0 ? e * batch * (heads * seeing * dim + kv_heads * keys * (dim + dim_v)) : 0,
          .write_bytes = e * out};
}

/// Of sequences whose lengths are known as sums.
Cost attention_over_pages(Dimensions& dims) {
  const double heads = dims.size("heads");
  const double dim = dims.size("head_dim");
  const double dim_v = dims.size("head_dim_v");
  const double queries = dims.size("queries");
  const double cached = dims.size("kv_heads") * dims.size("keys") * (dim + dim_v);
  const double e = dims.element_bytes();
  return {.work = attention_work(dims.dtype(), heads * dims.size("pairs"), dim, dim_v,
                                 heads * queries * dim_v),
          .read_bytes = e * heads * queries * dim + dims.size("kv_bits") / 8 * cached,
          .write_bytes = e * heads * queries * dim_v};
}

constexpr CostEntry kEntries[] = {
    {.formula = {.operator_name = "attention_forward",
                 .work = "4 heads head_dim sum(length^2)",
                 .read = "3 e tokens heads head_dim + 8 (sequences + 1)",
                 .write = "e tokens heads head_dim",
                 .strict = "softmax on the vector units: 3 per score"},
     .catalogue = attention_forward_published,
     .strict = attention_forward},
    {.formula = {.operator_name = "unified_attention",
                 .work = "4 heads head_dim sum(length (length + 1) / 2)",
                 .read = "e tokens (heads + 2 kv_heads) head_dim + 4 (2 sequences + 1) + "
                         "4 sum(ceil(length / block_size))",
                 .write = "e tokens heads head_dim",
                 .strict = "softmax on the vector units: 3 per score"},
     .catalogue = unified_attention_published,
     .strict = unified_attention},
    {.formula = {.operator_name = "paged_attention_decode",
                 .work = "sequences (4 heads head_dim context + 2 context)",
                 .read = "e sequences heads head_dim + 2 e blocks kv_heads head_dim block_size + "
                         "4 sequences (ceil(context / block_size) + 1), "
                         "blocks = sequences ceil(context / block_size) + 16",
                 .write = "e sequences heads head_dim",
                 .strict = "reads the tokens of the context only: not the 16 spare blocks, not the "
                           "rest of the last; softmax on the vector units"},
     .catalogue = paged_attention_decode_published,
     .strict = paged_attention_decode},
    {.formula = {.operator_name = "mla_decode_attention",
                 .work = "batch heads (2 context (dim + latent) + dim + context dim), "
                         "dim = latent + rope_dim",
                 .read = "e batch (heads + context) dim + 4 batch",
                 .write = "e batch heads latent",
                 .strict = "only the two products: no scaling of queries and of keys expanded to "
                           "every head; softmax on the vector units"},
     .catalogue = mla_decode_attention_published,
     .strict = mla_decode_attention},
    {.formula = {.operator_name = "attention",
                 .work = "2 batch heads pairs (head_dim + head_dim_v), pairs = q_len kv_len, or "
                         "what a causal mask leaves of it",
                 .read = "e batch (heads q_len head_dim + kv_heads kv_len (head_dim + head_dim_v))",
                 .write = "e batch heads q_len head_dim_v",
                 .strict = ""},
     .strict = attention},
    {.formula = {.operator_name = "attention_over_pages",
                 .work =
                     "2 heads pairs (head_dim + head_dim_v), pairs of a query and a key that it "
                     "sees",
                 .read = "e heads queries head_dim + kv_bits / 8 kv_heads keys (head_dim + "
                         "head_dim_v)",
                 .write = "e heads queries head_dim_v",
                 .strict = ""},
     .strict = attention_over_pages},
};

}  // namespace

std::span<const CostEntry> attention_costs() {
  return kEntries;
}

}  // namespace tactus
