#pragma once

#include <cstddef>

namespace tactus {

/// Whether this processor has an instruction that takes lines out of its caches, many at once.
bool can_evict_lines();

/// Writes back what was changed in this memory, and leaves none of it in any cache. Only where
/// can_evict_lines().
void evict_lines(const std::byte* memory, std::size_t bytes);

}  // namespace tactus
