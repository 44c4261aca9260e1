#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "run/run.h"

namespace tactus {

/// Ops inside other ops: rows of run.slices, ascending, and the op each belongs to.
struct InnerOps {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> outer;  ///< place in the given list of ops
};

/// The ops that ran inside those of `ops` (rows of run.slices, ascending) whose name wants it
/// (wants_inner_ops); of each the first few hundred.
InnerOps find_inner_ops(const Run& run, std::span<const std::uint32_t> ops);

}  // namespace tactus
