#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "operators/problem.h"

namespace tactus {

/// The places of the tensors of a problem in one block of memory: aligned, each between two guard
/// zones that must not be written.
struct TensorLayout {
  std::vector<std::size_t> inputs;   ///< offsets of their data
  std::vector<std::size_t> outputs;  ///< the same
  std::size_t bytes = 0;             ///< of the whole block
};

TensorLayout layout_of(const Problem& problem);

/// The tensors of a block in host memory. `problem` and the block must outlive them.
HostTensors tensors_at(const Problem& problem, const TensorLayout& layout, std::byte* block);

void write_guards(const Problem& problem, const TensorLayout& layout, std::byte* block);

/// The first tensor with a write beside it; empty if there is none.
std::string broken_guard(const Problem& problem, const TensorLayout& layout,
                         const std::byte* block);

/// The first input that differs between two blocks; empty if there is none.
std::string changed_input(const Problem& problem, const TensorLayout& layout,
                          const std::byte* before, const std::byte* after);

}  // namespace tactus
