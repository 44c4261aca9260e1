// Products of matrices, with fused operations.

#include "bounds/costs/cost_entry.h"

namespace tactus {
namespace {

constexpr double kFp32Bytes = 4;

/// fp8 operands in groups of k, each group with a scale in fp32; fp32 out.
PublishedCost block_scaled_mm_published(Dimensions& dims) {
  const double m = dims.size("m");
  const double n = dims.size("n");
  const double k = dims.size("k");
  const double groups = ceil_div(k, dims.size("group_k"));
  const double column_groups = ceil_div(n, dims.size("group_n"));
  return {.flops = 2 * m * n * k + m * n * (3 * groups - 1),
          .read_bytes = m * k + n * k + kFp32Bytes * (m * groups + column_groups * groups),
          .write_bytes = kFp32Bytes * m * n};
}

Cost block_scaled_mm(Dimensions& dims) {
  const PublishedCost published = block_scaled_mm_published(dims);
  const double m = dims.size("m");
  const double n = dims.size("n");
  const double k = dims.size("k");
  const double groups = ceil_div(k, dims.size("group_k"));
  return {.work = {matrix_work(NumberType::kFp8E4m3, 2 * m * n * k),
                   vector_work(NumberType::kFp32, m * n * (2 * groups - 1))},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

/// sigmoid(hidden weight^T + bias) * post
PublishedCost linear_sigmoid_mul_published(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double hidden = dims.size("hidden");
  const double out = dims.size("out");
  const double e = dims.element_bytes();
  return {.flops = 2 * tokens * hidden * out + tokens * out,
          .read_bytes = e * (tokens * hidden + out * hidden + out + tokens * out),
          .write_bytes = e * tokens * out};
}

Cost linear_sigmoid_mul(Dimensions& dims) {
  constexpr double kVectorFlops = 4;  // exp, add, divide, times post; bias starts the sum
  const PublishedCost published = linear_sigmoid_mul_published(dims);
  const double results = dims.size("tokens") * dims.size("out");
  return {.work = {matrix_work(dims.dtype(), 2 * results * dims.size("hidden")),
                   vector_work(dims.dtype(), kVectorFlops * results)},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

Cost gemm(Dimensions& dims) {
  const double batch = dims.size_or("batch", 1);
  const double m = dims.size("m");
  const double n = dims.size("n");
  const double k = dims.amount("k");  // a product with k = 0 still writes zeros
  const double e = dims.element_bytes();
  const double bias = dims.amount_or("bias", 0) != 0 ? n : 0;
  return {.work = {matrix_work(dims.dtype(), 2 * batch * m * n * k)},
          .read_bytes = e * (batch * (m * k + k * n) + bias),
          .write_bytes = dims.amount_or("out_bytes", e) * batch * m * n};
}

constexpr CostEntry kEntries[] = {
    {.formula = {.operator_name = "block_scaled_mm",
                 .work = "2 m n k + m n (3 k / group_k - 1)",
                 .read = "m k + n k + 4 m k / group_k + 4 (n / group_n) (k / group_k)",
                 .write = "4 m n",
                 .strict = "scaling on the vector units: one fused multiply-add per group"},
     .operands = Operands::kFp8,
     .catalogue = block_scaled_mm_published,
     .strict = block_scaled_mm},
    {.formula = {.operator_name = "linear_sigmoid_mul",
                 .work = "2 tokens hidden out + tokens out",
                 .read = "e (tokens hidden + out hidden + out + tokens out)",
                 .write = "e tokens out",
                 .strict = "sigmoid and gate on the vector units: 4 per result"},
     .catalogue = linear_sigmoid_mul_published,
     .strict = linear_sigmoid_mul},
    {.formula = {.operator_name = "gemm",
                 .work = "2 batch m n k",
                 .read = "e (batch (m k + k n) + n where bias is 1)",
                 .write = "out_bytes batch m n, out_bytes = e unless given",
                 .strict = ""},
     .strict = gemm},
};

}  // namespace

std::span<const CostEntry> product_costs() {
  return kEntries;
}

}  // namespace tactus
