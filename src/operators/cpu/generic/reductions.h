#pragma once

#include "operators/cpu/generic/rows.h"

namespace tactus::TACTUS_ISA {

// sum, mean, max over the last axis of a matrix, or over its first.

struct Adding {
  static constexpr float kStart = 0;
  TACTUS_INLINE static Floats joined(Floats a, Floats b) { return a + b; }
  TACTUS_INLINE static float of_lanes(Floats a) { return sum(a); }
};
struct KeepingLargest {
  static constexpr float kStart = -__builtin_inff();
  TACTUS_INLINE static Floats joined(Floats a, Floats b) { return larger(a, b); }
  TACTUS_INLINE static float of_lanes(Floats a) { return largest(a); }
};

template <class Number, class How>
TACTUS_INLINE float reduced_row(const typename Number::Stored* x, std::int64_t columns) {
  const Ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  Floats so_far = all(How::kStart);
  std::int64_t i = 0;
  for (; i + kLanes <= columns; i += kLanes) {
    so_far = How::joined(so_far, Number::load(x + i));
  }
  if (i < columns) {
    const auto left = static_cast<std::int32_t>(columns - i);
    so_far = How::joined(so_far, choose(lane < left, take<Number>(x + i, left), all(How::kStart)));
  }
  return How::of_lanes(so_far);
}

/// Over rows: a stretch of columns at a time, whose results stay in the first cache.
template <class Number, class How>
inline void reduce_columns(const typename Number::Stored* x, std::int64_t rows,
                           std::int64_t columns, std::int64_t first, std::int64_t end, float factor,
                           typename Number::Stored* out) {
  constexpr std::int64_t kVectors = 64;
  Floats so_far[kVectors];
  for (std::int64_t begin = first; begin < end; begin += kVectors * kLanes) {
    const std::int64_t count = least(end - begin, kVectors * kLanes);
    for (Floats& result : so_far) result = all(How::kStart);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto* from = x + row * columns + begin;
      each_vector(count, [&](std::int64_t i, auto left) {
        Floats& result = so_far[i / kLanes];
        result = How::joined(result, take<Number>(from + i, left));
      });
    }
    each_vector(count, [&](std::int64_t i, auto left) {
      put<Number>(out + begin + i, so_far[i / kLanes] * factor, left);
    });
  }
}

template <class How>
inline int reduce(const tactus_call* call, bool mean) {
  return with_number(dtype_of(call, "x"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const std::int64_t rows = extent(call, "x", 0);
    const std::int64_t columns = extent(call, "x", 1);
    const auto* x = input<Stored>(call, "x");
    auto* out = output<Stored>(call, "out");
    const bool over_first = whole(call, "first") != 0;
    const float factor = mean ? 1.0f / static_cast<float>(over_first ? rows : columns) : 1.0f;
    if (over_first) {
      parallel_stretches(call, columns, round_up(ceil_div(columns, 4 * call->threads), kLanes),
                         [&](std::int64_t first, std::int64_t end) {
                           reduce_columns<Number, How>(x, rows, columns, first, end, factor, out);
                         });
      return 0;
    }
    parallel_stretches(
        call, rows, kNumbersAtOnce / columns, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t row = begin; row < end; ++row) {
            const float all_of = reduced_row<Number, How>(x + row * columns, columns);
            put<Number>(out + row, all(all_of * factor), 1);
          }
        });
    return 0;
  });
}

inline int plain_sum(const tactus_call* call) {
  return reduce<Adding>(call, false);
}
inline int plain_mean(const tactus_call* call) {
  return reduce<Adding>(call, true);
}
inline int plain_max(const tactus_call* call) {
  return reduce<KeepingLargest>(call, false);
}

}  // namespace tactus::TACTUS_ISA
