#pragma once

#include "operators/cpu/numbers.h"
#include "operators/cpu/tensors.h"

namespace tactus::TACTUS_ISA {

// How generic operators share their work: tasks of about this many numbers.
inline constexpr std::int64_t kNumbersAtOnce = 16384;

/// body(row, first, end) on parts of all rows: several short rows per task, or a part of a long
/// one.
template <class Body>
inline void parallel_parts_of_rows(const tactus_call* call, std::int64_t rows, std::int64_t columns,
                                   const Body& body) {
  const std::int64_t parts = ceil_div(columns, kNumbersAtOnce);
  parallel_stretches(call, rows * parts, kNumbersAtOnce / columns,
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) {
                         const std::int64_t first = i % parts * kNumbersAtOnce;
                         body(i / parts, first, least(columns, first + kNumbersAtOnce));
                       }
                     });
}

}  // namespace tactus::TACTUS_ISA
