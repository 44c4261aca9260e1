#pragma once

#include <cstddef>

#include "base/result.h"

namespace tactus {

/// Memory that is reused from shape to shape: getting gigabytes from the system takes seconds.
class KeptBlock {
 public:
  KeptBlock() = default;
  ~KeptBlock();
  KeptBlock(const KeptBlock&) = delete;
  KeptBlock& operator=(const KeptBlock&) = delete;

  /// Memory of at least that size; its contents are lost if it grows.
  Result<std::byte*> of(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Copies with several threads, because blocks can have gigabytes.
void copy_bytes(void* to, const void* from, std::size_t bytes, unsigned threads);

}  // namespace tactus
