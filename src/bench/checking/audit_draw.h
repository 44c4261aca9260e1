#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/worker/tensor_block.h"

namespace tactus {

/// Inputs for the audited call: those of the timed calls (`block`), with single numbers from
/// another draw, a few in each stretch of memory at places that the seed decides. A kernel that
/// remembers results for inputs that look the same gives wrong ones. If an operator has only ids
/// and tables, which cannot be mixed, all inputs are replaced.
void mix_draws(const Problem& problem, const TensorLayout& layout, std::byte* block,
               const std::byte* other, std::uint64_t seed);

}  // namespace tactus
