#pragma once

#include <string>

#include "bench/rooms/tensor_block.h"

namespace tactus {

/// What outputs held before a call: poison, or `decoy`, the results of other inputs.
struct Prefill {
  const std::byte* decoy = nullptr;  ///< a block of tensors; null: poison
};

/// Looks at all numbers of all outputs for what was there before the call; says what was not
/// written, or nothing. Outputs that change in place, and those that may stay as they are
/// (`definition.may_stay`), are not looked at; nor, for other results, those that stand for many
/// numbers each. Blocks as in tensor_block.h.
std::string surviving_prefill(const Problem& problem, const TensorLayout& layout,
                              const std::byte* after, Prefill prefill, std::uint32_t may_stay,
                              unsigned threads);

}  // namespace tactus
