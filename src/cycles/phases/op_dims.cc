#include "cycles/phases/op_dims.h"

#include <algorithm>
#include <charconv>

namespace tactus {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 40;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// How many sequences a list that stands beside packed queries tells: their ends, or, where each
/// sequence has a row in a table of pages, one number for each. 0 if there is none.
std::int64_t packed_sequences(const OpDims& dims, std::int64_t queries) {
  for (std::size_t i = 2; i < dims.size(); ++i) {
    if (dims[i].size() != 1 || dims[i][0] < 2 || dims[i][0] > queries + 1) continue;
    const std::int64_t size = dims[i][0];
    const bool has_pages = std::any_of(dims.begin() + 2, dims.end(), [&](const auto& table) {
      return table.size() == 2 && table[0] == size;
    });
    return has_pages ? size : size - 1;
  }
  return 0;
}

}  // namespace

OpDims parse_op_dims(std::string_view text) {
  OpDims dims;
  std::size_t depth = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    if (*at == '[') {
      if (++depth == 2) dims.emplace_back();
      ++at;
    } else if (*at == ']') {
      if (depth == 0) return {};
      --depth;
      ++at;
    } else if (depth == 2 && *at >= '0' && *at <= '9') {
      std::int64_t size = 0;
      const auto [next, error] = std::from_chars(at, end, size);
      if (error != std::errc() || size > kLargest) return {};
      dims.back().push_back(size);
      at = next;
    } else {
      ++at;
    }
  }
  return dims;
}

std::optional<Product> product_of(const OpDims& dims) {
  for (std::size_t i = 0; i + 1 < dims.size(); ++i) {
    const std::vector<std::int64_t>& x = dims[i];
    const std::vector<std::int64_t>& weights = dims[i + 1];
    if (x.size() < 2) continue;  // a bias
    if (x.size() > 4 || weights.size() != 2) return std::nullopt;
    Product product{.rows = 1, .inner = x.back()};
    for (std::size_t d = 0; d + 1 < x.size(); ++d) {
      if (x[d] <= 0 || product.rows > kLargest / x[d]) return std::nullopt;
      product.rows *= x[d];
    }
    if (weights[0] == product.inner) {
      product.columns = weights[1];
    } else if (weights[1] == product.inner) {
      product.columns = weights[0];
    } else {
      return std::nullopt;
    }
    return product;
  }
  return std::nullopt;
}

std::optional<Product> batched_product_of(const OpDims& dims) {
  if (dims.size() < 2 || dims[0].size() != 3 || dims[1].size() != 3) return std::nullopt;
  const bool fits = dims[0][0] == dims[1][0] && dims[0][1] == 1 && dims[0][2] == dims[1][1];
  if (!fits) return std::nullopt;
  return Product{.rows = dims[0][0], .inner = dims[0][2], .columns = dims[1][2]};
}

std::optional<AttentionShape> attention_of(std::string_view op, const OpDims& dims) {
  if (dims.size() < 3) return std::nullopt;
  const std::vector<std::int64_t>& q = dims[0];
  const std::vector<std::int64_t>& k = dims[1];
  if (q.size() == 4 && k.size() == 4 && q[0] == k[0] && q[0] > 0) {
    // Heads come first in the fused op itself, and second inside the kernels of its libraries.
    const bool heads_first = contains(op, "scaled_dot_product") || contains(op, "cudnn");
    const std::size_t length = heads_first ? 2 : 1;
    AttentionShape shape{.sequences = q[0], .queries = q[0] * q[length], .keys = k[0] * k[length]};
    // xFormers packs sequences as one.
    const std::int64_t packed = q[0] > 1 ? 0 : packed_sequences(dims, shape.queries);
    if (packed == 0) return shape;
    shape.sequences = packed;
    shape.is_packed = shape.knows_lengths = true;
    return shape;
  }
  if (q.size() != 3 || q[0] <= 0) return std::nullopt;
  AttentionShape shape{.sequences = 1, .is_packed = true, .queries = q[0]};
  // This op computes one new token per sequence, and nothing else.
  if (contains(op, "paged_attention")) {
    shape.sequences = shape.queries;
    shape.knows_lengths = true;
    return shape;
  }
  // The ops of vLLM and SGLang get the keys of the new tokens only; all others are in pages.
  if (k.size() == 3 && !contains(op, "unified_attention")) shape.keys = k[0];
  if (const std::int64_t packed = packed_sequences(dims, shape.queries); packed > 0) {
    shape.sequences = packed;
    shape.knows_lengths = true;
  }
  return shape;
}

}  // namespace tactus
