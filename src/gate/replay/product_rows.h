#pragma once

#include <unordered_map>
#include <vector>

#include "run/run.h"

namespace tactus::gate {

/// A product of matrices with weights, as a thread began it.
struct RowsFrom {
  std::int64_t begin_ns = 0;
  std::int64_t rows = 0;
};

/// The products of a recording by track, in the order of time: calls of cuBLAS and ops of PyTorch,
/// as far as the recording has their shapes.
std::unordered_map<std::uint32_t, std::vector<RowsFrom>> product_rows(const Run& run);

}  // namespace tactus::gate
