#pragma once

#include <utility>

#include "operators/cpu/vectors.h"

namespace tactus::TACTUS_ISA {

/// Swaps blocks of `kStep` lanes between vectors that are `kStep` apart.
template <int kStep, int... kLane>
TACTUS_INLINE void swap_blocks(Floats& a, Floats& b, std::integer_sequence<int, kLane...>) {
  const Floats low =
      __builtin_shufflevector(a, b, ((kLane & kStep) == 0 ? kLane : kLane - kStep + 16)...);
  b = __builtin_shufflevector(a, b, ((kLane & kStep) == 0 ? kLane + kStep : kLane + 16)...);
  a = low;
}

template <int kStep>
TACTUS_INLINE void swap_all(Floats (&rows)[16]) {
  for (int i = 0; i < 16; ++i) {
    if ((i & kStep) == 0) {
      swap_blocks<kStep>(rows[i], rows[i + kStep], std::make_integer_sequence<int, 16>());
    }
  }
}

/// Sixteen rows of sixteen become columns.
TACTUS_INLINE void transpose(Floats (&rows)[16]) {
  swap_all<8>(rows);
  swap_all<4>(rows);
  swap_all<2>(rows);
  swap_all<1>(rows);
}

}  // namespace tactus::TACTUS_ISA
