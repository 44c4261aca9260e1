#include <charconv>

#include "bounds/ops/op_readers.h"

namespace tactus {
namespace {

/// A product in the terms of BLAS.
struct Product {
  double batch = 1;
  double m = 0, n = 0, k = 0;
};

/// [.., m, k] by [.., k, n]. An operand that is the same for the whole batch (stride 0) is read
/// once: the batch then means more rows, or more columns.
std::optional<Product> product_of(const TensorArgument& a, const TensorArgument& b) {
  const std::size_t rank = a.dims.size();
  if (rank < 2 || rank > 3 || b.dims.size() != rank) return std::nullopt;
  if (a.dims[rank - 1] != b.dims[rank - 2]) return std::nullopt;
  Product product;
  product.m = static_cast<double>(a.dims[rank - 2]);
  product.k = static_cast<double>(a.dims[rank - 1]);
  product.n = static_cast<double>(b.dims[rank - 1]);
  if (rank == 2) return product;
  if (a.dims[0] != b.dims[0]) return std::nullopt;
  product.batch = static_cast<double>(a.dims[0]);
  const auto is_shared = [](const TensorArgument& operand) {
    return operand.strides.size() == 3 && operand.strides[0] == 0;
  };
  if (is_shared(b)) {
    product.m *= product.batch;
    product.batch = 1;
  } else if (is_shared(a)) {
    product.n *= product.batch;
    product.batch = 1;
  }
  return product;
}

/// x [.., k] by weights [n, k], as layers store them.
std::optional<Product> linear_product(const TensorArgument& x, const TensorArgument& weights) {
  if (x.dims.empty() || weights.dims.size() != 2 || x.dims.back() != weights.dims[1]) {
    return std::nullopt;
  }
  const auto k = static_cast<double>(x.dims.back());
  return Product{.batch = 1,
                 .m = k == 0 ? 0 : x.elements() / k,
                 .n = static_cast<double>(weights.dims[0]),
                 .k = k};
}

Result<OpShape> gemm(const TensorArgument& a, const TensorArgument& b,
                     const std::optional<Product>& product, double out_bytes) {
  if (!product || !a.type) return odd_inputs();
  return op_shape("gemm", *a.type,
                  {{"m", product->m},
                   {"n", product->n},
                   {"k", product->k},
                   {"batch", product->batch},
                   {"out_bytes", out_bytes}},
                  dims_text(a.dims) + " by " + dims_text(b.dims) + ", " +
                      std::string(number_type_name(*a.type)));
}

/// Numbers of ScalarType in c10, for "out_dtype".
double bytes_of_scalar_type(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  switch (number) {
    case 6: return 4;   // float
    case 5:             // half
    case 15: return 2;  // bfloat16
    default: return 1;  // fp8, or unknown: at least 1
  }
}

double bytes_or(const TensorArgument* tensor, double otherwise) {
  return tensor != nullptr && tensor->type ? bytes_of(*tensor->type) : otherwise;
}

}  // namespace

OpReading read_gemm_op(const ReadOp& op) {
  const OpCall& call = op.call;
  const auto product_at = [&](std::size_t first, double out_bytes) -> Result<OpShape> {
    const TensorArgument* a = call.tensor(first);
    const TensorArgument* b = call.tensor(first + 1);
    if (a == nullptr || b == nullptr) return odd_inputs();
    return gemm(*a, *b, product_of(*a, *b), out_bytes != 0 ? out_bytes : bytes_or(a, 1));
  };
  if (is_one_of(op.base, {"mm", "bmm"})) return product_at(0, 0);
  if (is_one_of(op.base, {"addmm", "baddbmm", "_addmm_activation"})) return product_at(1, 0);
  // As tactus record writes calls of cuBLAS: (a, b, c)
  if (op.base.starts_with("cublas")) return product_at(0, bytes_or(call.tensor(2), 0));
  if (op.base == "_int_mm") return product_at(0, 4);
  if (op.base == "_scaled_mm") return product_at(0, bytes_of_scalar_type(call.value(6)));
  // (out, a, b, scales...)
  if (op.base == "cutlass_scaled_mm") return product_at(1, bytes_or(call.tensor(0), 1));
  // (a, b, scale_a, scale_b, out_dtype, bias)
  if (is_one_of(op.base, {"fp8_scaled_mm", "int8_scaled_mm"})) {
    return product_at(0, bytes_of_scalar_type(call.value(4)));
  }
  if (is_one_of(op.base, {"linear", "rocm_unquantized_gemm"})) {
    const TensorArgument* x = call.tensor(0);
    const TensorArgument* weights = call.tensor(1);
    if (x == nullptr || weights == nullptr) return odd_inputs();
    return gemm(*x, *weights, linear_product(*x, *weights), bytes_or(x, 1));
  }
  if (op.base == "mv") {
    const TensorArgument* a = call.tensor(0);
    const TensorArgument* x = call.tensor(1);
    if (a == nullptr || x == nullptr || a->dims.size() != 2) return odd_inputs();
    return gemm(*a, *x,
                Product{.batch = 1,
                        .m = static_cast<double>(a->dims[0]),
                        .n = 1,
                        .k = static_cast<double>(a->dims[1])},
                bytes_or(a, 1));
  }
  return std::nullopt;
}

}  // namespace tactus
