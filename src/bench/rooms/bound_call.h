#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/rooms/tensor_block.h"
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
  /// Moves the call to another block of the same layout. Returns a copy for the candidate, so that
  /// what it changes there is not seen by us, nor by its next call.
  const tactus_call& move_to(std::byte* block, const TensorLayout& layout);
  tactus_call& call() { return call_; }
  const tactus_call& call() const { return call_; }

 private:
  void add(const std::vector<TensorSpec>& specs, const std::vector<std::size_t>& offsets,
           std::vector<tactus_tensor>& tensors);

  std::byte* block_;
  std::vector<std::vector<std::int64_t>> sizes_;  ///< shape and strides of each tensor, in turn
  std::vector<tactus_tensor> inputs_;
  std::vector<tactus_tensor> outputs_;
  std::vector<tactus_parameter> parameters_;
  tactus_call call_{};
  std::vector<std::vector<std::int64_t>> given_sizes_;
  std::vector<tactus_tensor> given_inputs_;
  std::vector<tactus_tensor> given_outputs_;
  std::vector<tactus_parameter> given_parameters_;
  tactus_call given_{};
};

}  // namespace tactus
