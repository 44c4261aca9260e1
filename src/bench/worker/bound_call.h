#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/worker/tensor_block.h"
#include "tactus/operator.h"

namespace tactus {

/// A block of tensors on a device and the call that is made on it. `problem` must outlive it.
class BoundCall {
 public:
  /// Without a block (null) the tensors have only shapes.
  BoundCall(const Problem& problem, const TensorLayout& layout, std::byte* block);
  BoundCall(const BoundCall&) = delete;
  BoundCall& operator=(const BoundCall&) = delete;

  std::byte* block() const { return block_; }
  /// Moves the call to another block of the same layout.
  void move_to(std::byte* block, const TensorLayout& layout);
  tactus_call& call() { return call_; }
  const tactus_call& call() const { return call_; }

 private:
  void add(const std::vector<TensorSpec>& specs, const std::vector<std::size_t>& offsets,
           std::vector<tactus_tensor>& tensors);

  std::byte* block_;
  std::vector<std::vector<std::int64_t>> strides_;
  std::vector<tactus_tensor> inputs_;
  std::vector<tactus_tensor> outputs_;
  std::vector<tactus_parameter> parameters_;
  tactus_call call_{};
};

}  // namespace tactus
