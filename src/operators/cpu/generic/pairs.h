#pragma once

#include "operators/cpu/generic/rows.h"

namespace tactus::TACTUS_ISA {

// add, sub, mul, div of a with b: as large as a, a row for all its rows, or a number for each row.

template <class Number, class Make>
inline void each_pair(const tactus_call* call, const Make& make) {
  using Stored = typename Number::Stored;
  const tactus_tensor* a_tensor = tactus_input(call, "a");
  const tactus_tensor* b_tensor = tactus_input(call, "b");
  const bool flat = a_tensor->rank == 1;
  const bool column = b_tensor->rank == 2;
  const std::int64_t rows = flat ? 1 : a_tensor->shape[0];
  const std::int64_t columns = a_tensor->shape[a_tensor->rank - 1];
  const auto* a = input<Stored>(call, "a");
  const auto* b = input<Stored>(call, "b");
  auto* out = output<Stored>(call, "out");
  parallel_parts_of_rows(
      call, rows, columns, [&](std::int64_t row, std::int64_t first, std::int64_t end) {
        const Floats of_row = all(column ? take<Number>(b + row, 1)[0] : 0);
        each_vector(end - first, [&](std::int64_t at, auto left) {
          const std::int64_t i = row * columns + first + at;
          const Floats other = column ? of_row : take<Number>(b + first + at, left);
          put<Number>(out + i, make(take<Number>(a + i, left), other), left);
        });
      });
}

template <class Make>
inline int with_pairs(const tactus_call* call, const Make& make) {
  return with_number(dtype_of(call, "a"), [&](auto number) {
    each_pair<decltype(number)>(call, make);
    return 0;
  });
}

inline int pair_add(const tactus_call* call) {
  return with_pairs(call, [](Floats a, Floats b) { return a + b; });
}
inline int pair_sub(const tactus_call* call) {
  return with_pairs(call, [](Floats a, Floats b) { return a - b; });
}
inline int pair_mul(const tactus_call* call) {
  return with_pairs(call, [](Floats a, Floats b) { return a * b; });
}
inline int pair_div(const tactus_call* call) {
  return with_pairs(call, [](Floats a, Floats b) { return a / b; });
}

}  // namespace tactus::TACTUS_ISA
