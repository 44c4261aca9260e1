// Norms, activations and filters: operators that work on the rows of a tensor. All of their
// arithmetic runs on the vector units. The strict model charges it there and moves the same bytes.

#include "bounds/costs/cost_entry.h"

namespace tactus {
namespace {

/// Silu: exp, add, divide.
constexpr double kSiluFlops = 3;
/// The factor of a row: divide by its length, add epsilon, inverse root.
constexpr double kRowFactorFlops = 3;

struct Rows {
  double rows, columns, elements, e;

  Rows(Dimensions& dims, std::string_view rows_name)
      : rows(dims.size(rows_name)),
        columns(dims.size("hidden")),
        elements(rows * columns),
        e(dims.element_bytes()) {}
};

/// The published bytes, with the arithmetic that any kernel needs.
Cost on_vector_units(const Dimensions& dims, const PublishedCost& published, double flops) {
  return {.work = {vector_work(dims.dtype(), flops)},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

PublishedCost rms_norm_published(Dimensions& dims) {
  const Rows x(dims, "tokens");
  return {.flops = 3 * x.elements + x.rows,
          .read_bytes = x.e * (x.elements + x.columns),
          .write_bytes = x.e * x.elements};
}

Cost rms_norm(Dimensions& dims) {
  const Rows x(dims, "tokens");
  return on_vector_units(dims, rms_norm_published(dims),
                         4 * x.elements + kRowFactorFlops * x.rows);  // square, sum, factor, weight
}

PublishedCost fused_add_rms_norm_published(Dimensions& dims) {
  const Rows x(dims, "tokens");
  return {.flops = 4 * x.elements + x.rows,
          .read_bytes = x.e * (2 * x.elements + x.columns),
          .write_bytes = x.e * 2 * x.elements};
}

Cost fused_add_rms_norm(Dimensions& dims) {
  const Rows x(dims, "tokens");
  return on_vector_units(dims, fused_add_rms_norm_published(dims),
                         5 * x.elements + kRowFactorFlops * x.rows);
}

PublishedCost gated_rms_norm_published(Dimensions& dims) {
  const Rows x(dims, "rows");
  return {.flops = 8 * x.elements + x.rows,
          .read_bytes = x.e * (2 * x.elements + x.columns),
          .write_bytes = x.e * x.elements};
}

Cost gated_rms_norm(Dimensions& dims) {
  const Rows x(dims, "rows");
  return on_vector_units(dims, gated_rms_norm_published(dims),
                         (5 + kSiluFlops) * x.elements + kRowFactorFlops * x.rows);
}

PublishedCost l2_norm_published(Dimensions& dims) {
  const Rows x(dims, "tokens");
  return {.flops = 3 * x.elements, .read_bytes = x.e * x.elements, .write_bytes = x.e * x.elements};
}

Cost l2_norm(Dimensions& dims) {
  const Rows x(dims, "tokens");
  return on_vector_units(dims, l2_norm_published(dims), 3 * x.elements + 2 * x.rows);
}

PublishedCost layer_norm_published(Dimensions& dims) {
  const Rows x(dims, "tokens");
  return {.flops = 7 * x.elements,
          .read_bytes = x.e * (x.elements + 2 * x.columns),
          .write_bytes = x.e * x.elements};
}

Cost layer_norm(Dimensions& dims) {
  const Rows x(dims, "tokens");
  return on_vector_units(dims, layer_norm_published(dims), 7 * x.elements);
}

/// Norms of the heads of q and of k; v follows them in the same tensor.
PublishedCost fused_qk_rmsnorm_published(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double heads = dims.size("heads");
  const double kv_heads = dims.size("kv_heads");
  const double dim = dims.size("head_dim");
  const double e = dims.element_bytes();
  const double all = tokens * (heads + 2 * kv_heads) * dim;
  return {.flops = tokens * (heads + kv_heads) * (3 * dim + 1),
          .read_bytes = e * (all + 2 * dim),
          .write_bytes = e * all};
}

Cost fused_qk_rmsnorm(Dimensions& dims) {
  const double rows = dims.size("tokens") * (dims.size("heads") + dims.size("kv_heads"));
  return on_vector_units(dims, fused_qk_rmsnorm_published(dims),
                         rows * (4 * dims.size("head_dim") + kRowFactorFlops));
}

/// Each row is gate and up side by side.
PublishedCost silu_and_mul_published(Dimensions& dims) {
  const double results = dims.size("tokens") * dims.size("width") / 2;
  const double e = dims.element_bytes();
  return {.flops = 5 * results, .read_bytes = 2 * e * results, .write_bytes = e * results};
}

Cost silu_and_mul(Dimensions& dims) {
  const double results = dims.size("tokens") * dims.size("width") / 2;
  return on_vector_units(dims, silu_and_mul_published(dims), (kSiluFlops + 1) * results);
}

PublishedCost topk_filter_published(Dimensions& dims) {
  const double elements = dims.size("tokens") * dims.size("vocabulary");
  const double e = dims.element_bytes();
  return {.read_bytes = e * elements, .write_bytes = e * elements};
}

Cost topk_filter(Dimensions& dims) {
  dims.amount("top_k");  // required, although it does not matter
  return on_vector_units(dims, topk_filter_published(dims),
                         dims.size("tokens") * dims.size("vocabulary"));  // each is compared once
}

constexpr CostEntry kEntries[] = {
    {.formula = {.operator_name = "rms_norm",
                 .work = "3 tokens hidden + tokens",
                 .read = "e (tokens hidden + hidden)",
                 .write = "e tokens hidden",
                 .strict = "on the vector units, 4 per element"},
     .catalogue = rms_norm_published,
     .strict = rms_norm},
    {.formula = {.operator_name = "fused_add_rms_norm",
                 .work = "4 tokens hidden + tokens",
                 .read = "e (2 tokens hidden + hidden)",
                 .write = "2 e tokens hidden",
                 .strict = "on the vector units, 5 per element"},
     .catalogue = fused_add_rms_norm_published,
     .strict = fused_add_rms_norm},
    {.formula = {.operator_name = "gated_rms_norm",
                 .work = "8 rows hidden + rows",
                 .read = "e (2 rows hidden + hidden)",
                 .write = "e rows hidden",
                 .strict = "on the vector units"},
     .catalogue = gated_rms_norm_published,
     .strict = gated_rms_norm},
    {.formula = {.operator_name = "l2_norm",
                 .work = "3 tokens hidden",
                 .read = "e tokens hidden",
                 .write = "e tokens hidden",
                 .strict = "on the vector units"},
     .catalogue = l2_norm_published,
     .strict = l2_norm},
    {.formula = {.operator_name = "layer_norm",
                 .work = "7 tokens hidden",
                 .read = "e (tokens hidden + 2 hidden)",
                 .write = "e tokens hidden",
                 .strict = "on the vector units"},
     .catalogue = layer_norm_published,
     .strict = layer_norm},
    {.formula = {.operator_name = "fused_qk_rmsnorm",
                 .work = "tokens (heads + kv_heads) (3 head_dim + 1)",
                 .read = "e tokens (heads + 2 kv_heads) head_dim + 2 e head_dim",
                 .write = "e tokens (heads + 2 kv_heads) head_dim",
                 .strict = "on the vector units, 4 per element of q and k"},
     .catalogue = fused_qk_rmsnorm_published,
     .strict = fused_qk_rmsnorm},
    {.formula = {.operator_name = "silu_and_mul",
                 .work = "5 tokens width / 2",
                 .read = "e tokens width",
                 .write = "e tokens width / 2",
                 .strict = "on the vector units, 4 per result"},
     .catalogue = silu_and_mul_published,
     .strict = silu_and_mul},
    {.formula = {.operator_name = "topk_filter",
                 .work = "",
                 .read = "e tokens vocabulary",
                 .write = "e tokens vocabulary",
                 .strict = "one comparison per element on the vector units"},
     .catalogue = topk_filter_published,
     .strict = topk_filter},
};

}  // namespace

std::span<const CostEntry> row_costs() {
  return kEntries;
}

}  // namespace tactus
