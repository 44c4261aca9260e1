#pragma once

#include <cstdint>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tactus {

inline std::uint64_t hash_bytes(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// A fuzzer cannot guess a checksum, so fuzz builds accept any. Then it reaches more code.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
inline constexpr bool kChecksumsMatter = false;
#else
inline constexpr bool kChecksumsMatter = true;
#endif

}  // namespace tactus
