#include "base/hash.h"

namespace tactus {

// Alone in its unit: a fuzz target that defines the same function keeps the linker from taking this
// one.
bool hash_fits(std::uint64_t carried, std::uint64_t computed) {
  return carried == computed;
}

}  // namespace tactus
