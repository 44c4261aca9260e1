#pragma once

#include <cmath>

#include "operators/cpu/tensors.h"
#include "operators/cpu/vectors.h"

namespace tactus::TACTUS_ISA {

/// Rows that make about 32 KB, so that a thread has something to do.
inline std::int64_t rows_at_once(std::int64_t row_bytes) {
  return 32768 / (row_bytes > 0 ? row_bytes : 1) + 1;
}

inline float sum_of_squares(const std::uint16_t* x, std::int64_t count) {
  Floats sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    for (int j = 0; j < 4; ++j) {
      const Floats v = load_bf16(x + i + j * kLanes);
      sums[j] += v * v;
    }
  }
  for (; i + kLanes <= count; i += kLanes) {
    const Floats v = load_bf16(x + i);
    sums[0] += v * v;
  }
  float total = sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < count; ++i) {
    const float v = __builtin_bit_cast(float, static_cast<std::uint32_t>(x[i]) << 16);
    total += v * v;
  }
  return total;
}

inline int rms_norm(const tactus_call* call) {
  const auto* x = input<std::uint16_t>(call, "x");
  const auto* weight = input<std::uint16_t>(call, "weight");
  auto* out = output<std::uint16_t>(call, "out");
  const std::int64_t tokens = extent(call, "x", 0);
  const std::int64_t hidden = extent(call, "x", 1);
  const auto eps = static_cast<float>(tactus_value(call, "eps", 1e-6));
  if (hidden % kLanes != 0) return 1;
  parallel_stretches(
      call, tokens, rows_at_once(hidden * 2), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::uint16_t* from = x + row * hidden;
          std::uint16_t* to = out + row * hidden;
          const float mean = sum_of_squares(from, hidden) / static_cast<float>(hidden);
          const float scale = 1.0f / std::sqrt(mean + eps);
          for (std::int64_t i = 0; i < hidden; i += kLanes) {
            store_bf16(to + i, load_bf16(from + i) * scale * load_bf16(weight + i));
          }
        }
      });
  return 0;
}

}  // namespace tactus::TACTUS_ISA
