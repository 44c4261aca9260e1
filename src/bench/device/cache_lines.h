#pragma once

#include <cstddef>

namespace tactus {

constexpr std::size_t kCacheLine = 64;  // bytes

/// Whether this processor has an instruction that removes many lines from its caches.
bool can_evict_lines();

/// Writes back changes in this memory, and removes it from all caches. Only if can_evict_lines().
void evict_lines(const std::byte* memory, std::size_t bytes);

}  // namespace tactus
