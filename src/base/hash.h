#pragma once

#include <cstdint>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tactus {

inline std::uint64_t hash_bytes(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// True if the hash in a file is that of its bytes. A fuzzer cannot guess a checksum, so fuzz
/// targets link their own version that accepts any (tests/fuzz/support.cc).
bool hash_fits(std::uint64_t carried, std::uint64_t computed);

}  // namespace tactus
