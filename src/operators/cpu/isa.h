#pragma once

#include <span>

#include "tactus/operator.h"

namespace tactus {

// The same kernels for different instruction sets; src/CMakeLists.txt has the flags.
std::span<const tactus_entry> plain_entries();
std::span<const tactus_entry> avx2_entries();    ///< AVX2, FMA, F16C
std::span<const tactus_entry> avx512_entries();  ///< AVX-512 F, BW, DQ, VL as well

}  // namespace tactus
