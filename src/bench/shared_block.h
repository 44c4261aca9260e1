#pragma once

#include <cstddef>

#include "base/result.h"

namespace tactus {

/// Memory that a process shares with the workers it starts later; gone with the object.
class SharedBlock {
 public:
  static Result<SharedBlock> make(std::size_t bytes);
  ~SharedBlock();
  SharedBlock(SharedBlock&& other) noexcept;
  SharedBlock& operator=(SharedBlock&&) = delete;

  std::byte* data() const { return data_; }

 private:
  SharedBlock(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

  std::byte* data_;
  std::size_t bytes_;
};

/// Copies with several threads: blocks have gigabytes.
void copy_bytes(void* to, const void* from, std::size_t bytes, unsigned threads);

}  // namespace tactus
