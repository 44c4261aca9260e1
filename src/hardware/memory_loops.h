#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tactus {

/// A way to go through memory once. Stores bypass the caches if the processor can do that:
/// otherwise each line would be read before it is written, and those bytes would not be counted.
struct MemoryLoop {
  std::string_view name;
  void (*run)(std::span<std::uint64_t> numbers) = nullptr;  ///< a multiple of 192, aligned to 64
};

/// read, write, copy, triad (a = b + s * c). Every byte of the span is moved once. The span should
/// hold doubles of normal size: denormal ones would make the triad slow.
std::span<const MemoryLoop> memory_loops();
const MemoryLoop& copy_loop();

}  // namespace tactus
