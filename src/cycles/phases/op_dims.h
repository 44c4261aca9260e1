#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tactus {

/// The shapes of an op's inputs: "[[32,1,4096],[4096,4096],[]]".
using OpDims = std::vector<std::vector<std::int64_t>>;
/// Empty if the text is not such a list.
OpDims parse_op_dims(std::string_view text);

/// A product with weights: rows of the first operand, and the sizes of the weights.
struct Product {
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
};
/// A product of one row per matrix, each with a matrix of its own: the vocabulary may be computed
/// so, and attention is.
std::optional<Product> batched_product_of(const OpDims& dims);
/// Nothing for products without weights: those inside attention grow with the sequence.
std::optional<Product> product_of(const OpDims& dims);

/// An attention op: how many queries and keys each sequence has.
struct AttentionShape {
  std::int64_t sequences = 0;  ///< 1 also for packed ones whose lengths are not known
  bool is_packed = false;      ///< queries of all sequences stand one behind the other
  bool knows_lengths = false;  ///< packed, with the list of their ends
  std::int64_t queries = 0;    ///< of all sequences
  std::int64_t keys = 0;       ///< of all sequences; 0 if they are in pages
};
std::optional<AttentionShape> attention_of(std::string_view op, const OpDims& dims);

}  // namespace tactus
