#pragma once

#include <string>

#include "bounds/kernel_bounds.h"

namespace tactus {

/// A shape of a trace as an operator that `tactus bench` can compute.
struct BenchForm {
  std::string operator_name;
  ShapeParameters parameters;
};

/// Elementwise ops on whole tensors become add, mul, silu, gelu or cast; attention over pages whose
/// sequences can only have one length becomes attention with lengths. Other shapes stay as they
/// are. The bytes of the bound do not change (but see lengths in docs/operators.md).
BenchForm bench_form(const TraceShape& shape);

}  // namespace tactus
