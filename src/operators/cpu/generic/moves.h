#pragma once

#include "operators/cpu/generic/rows.h"

namespace tactus::TACTUS_ISA {

// cat, gather, fill: bytes that move.

/// Of the types that these operators have.
inline std::int64_t bytes_of_number(const tactus_tensor* tensor) {
  return tensor->dtype == TACTUS_FP32 ? 4 : tensor->dtype == TACTUS_FP8_E4M3 ? 1 : 2;
}

inline void move_bytes(unsigned char* to, const unsigned char* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

inline int plain_cat(const tactus_call* call) {
  const std::int64_t width = bytes_of_number(tactus_input(call, "a"));
  const std::int64_t a_bytes = extent(call, "a", 1) * width;
  const std::int64_t b_bytes = extent(call, "b", 1) * width;
  const auto* a = input<unsigned char>(call, "a");
  const auto* b = input<unsigned char>(call, "b");
  auto* out = output<unsigned char>(call, "out");
  const std::int64_t row_bytes = a_bytes + b_bytes;
  parallel_parts_of_rows(call, extent(call, "a", 0), row_bytes,
                         [&](std::int64_t row, std::int64_t first, std::int64_t end) {
                           unsigned char* to = out + row * row_bytes;
                           const std::int64_t a_end = least(end, a_bytes);
                           if (first < a_end)
                             move_bytes(to + first, a + row * a_bytes + first, a_end - first);
                           const std::int64_t b_first = most(first, a_bytes);
                           if (b_first < end) {
                             move_bytes(to + b_first, b + row * b_bytes + b_first - a_bytes,
                                        end - b_first);
                           }
                         });
  return 0;
}

inline int plain_gather(const tactus_call* call) {
  const std::int64_t row_bytes =
      extent(call, "table", 1) * bytes_of_number(tactus_input(call, "table"));
  const tactus_tensor* index = tactus_input(call, "index");
  const auto* table = input<unsigned char>(call, "table");
  auto* out = output<unsigned char>(call, "out");
  parallel_parts_of_rows(
      call, index->shape[0], row_bytes,
      [&](std::int64_t row, std::int64_t first, std::int64_t end) {
        const std::int64_t from = index->dtype == TACTUS_INT64
                                      ? static_cast<const std::int64_t*>(index->data)[row]
                                      : static_cast<const std::int32_t*>(index->data)[row];
        move_bytes(out + row * row_bytes + first, table + from * row_bytes + first, end - first);
      });
  return 0;
}

inline int plain_fill(const tactus_call* call) {
  const std::int64_t width = bytes_of_number(tactus_input(call, "value"));
  const auto* value = input<unsigned char>(call, "value");
  auto* out = output<unsigned char>(call, "out");
  alignas(64) unsigned char line[64];
  for (std::int64_t i = 0; i < 64; i += width) move_bytes(line + i, value, width);
  const Words words = load<Words>(line);
  parallel_stretches(call, tactus_output(call, "out")->shape[0] * width, 4 * kNumbersAtOnce,
                     [&](std::int64_t begin, std::int64_t end) {
                       std::int64_t i = begin;
                       for (; i + 64 <= end; i += 64) store(out + i, words);
                       if (i < end) move_bytes(out + i, line, end - i);
                     });
  return 0;
}

}  // namespace tactus::TACTUS_ISA
