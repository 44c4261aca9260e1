#pragma once

#include <string>

#include "bounds/kernel_bounds.h"

namespace tactus {

/// A shape of a trace as an operator that `tactus bench` can compute.
struct BenchForm {
  std::string operator_name;
  ShapeParameters parameters;
};

/// Elementwise ops on whole tensors, or with a row or a column, become add, sub, mul, div, silu,
/// gelu or cast; reductions of rows or columns sum, mean or max; a cat of two tensors becomes one
/// of their rows; attention over pages whose sequences can only have one length becomes attention
/// with lengths. Other shapes stay as they are. The bytes of the bound do not change (but see
/// lengths in docs/operators.md).
BenchForm bench_form(const TraceShape& shape);

}  // namespace tactus
