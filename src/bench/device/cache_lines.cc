#include "bench/device/cache_lines.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "hardware/cpu_features.h"

namespace tactus {

bool can_evict_lines() {
  return cpu_features().clflushopt;
}

__attribute__((target("clflushopt"))) void evict_lines(const std::byte* memory, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kCacheLine) {
    _mm_clflushopt(const_cast<std::byte*>(memory + at));  // nothing is written
  }
  if (bytes > 0) _mm_clflushopt(const_cast<std::byte*>(memory + bytes - 1));  // not aligned
  _mm_mfence();
}

}  // namespace tactus

#else

namespace tactus {

bool can_evict_lines() {
  return false;
}

void evict_lines(const std::byte*, std::size_t) {}

}  // namespace tactus

#endif
