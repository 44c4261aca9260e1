#pragma once

#include <unordered_map>
#include <vector>

#include "run/run.h"

namespace tactus::gate {

/// A product of matrices, as a thread called it.
struct TracedProduct {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t rows = 0;     ///< 0: unknown, or not a product with weights
  bool is_one_call = false;  ///< of a library: its launches belong together
};

/// The products of a recording by track, in the order of time: calls of cuBLAS, and if rows are
/// wanted, ops of PyTorch, as far as the recording has their shapes.
std::unordered_map<std::uint32_t, std::vector<TracedProduct>> read_products(const Run& run,
                                                                            bool wants_rows);

}  // namespace tactus::gate
