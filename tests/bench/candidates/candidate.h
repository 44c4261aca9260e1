// rms_norm done right, for candidates that do something else besides, and what makes a file one.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "tactus/operator.h"

namespace candidate {

inline float widened(std::uint16_t bits) {
  const std::uint32_t word = static_cast<std::uint32_t>(bits) << 16;
  float value = 0;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

inline std::uint16_t narrowed(float value) {
  std::uint32_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return static_cast<std::uint16_t>((word + 0x7fffU + (word >> 16 & 1U)) >> 16);
}

template <class T>
T* input(const tactus_call* call, const char* name) {
  return static_cast<T*>(tactus_input(call, name)->data);
}

template <class T>
T* output(const tactus_call* call, const char* name) {
  return static_cast<T*>(tactus_output(call, name)->data);
}

inline std::int64_t elements(const tactus_tensor* tensor) {
  std::int64_t count = 1;
  for (std::int32_t i = 0; i < tensor->rank; ++i) count *= tensor->shape[i];
  return count;
}

inline int rms_norm(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const std::int64_t hidden = x->shape[1];
  const auto* weight = input<const std::uint16_t>(call, "weight");
  const double eps = tactus_value(call, "eps", 0);
  for (std::int64_t row = 0; row < x->shape[0]; ++row) {
    const auto* in = static_cast<const std::uint16_t*>(x->data) + row * hidden;
    std::uint16_t* out = output<std::uint16_t>(call, "out") + row * hidden;
    float squares = 0;
    for (std::int64_t i = 0; i < hidden; ++i) squares += widened(in[i]) * widened(in[i]);
    const float scale =
        1 / std::sqrt(squares / static_cast<float>(hidden) + static_cast<float>(eps));
    for (std::int64_t i = 0; i < hidden; ++i) {
      out[i] = narrowed(widened(in[i]) * scale * widened(weight[i]));
    }
  }
  return 0;
}

}  // namespace candidate

/// The file is a candidate that computes rms_norm by `run`.
#define RMS_NORM_CANDIDATE(run)                                                                    \
  static const tactus_entry entries[] = {{"rms_norm", TACTUS_CPU, run, nullptr}};                  \
  static const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "test", \
                                            entries, 1};                                           \
  TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {                                    \
    return &library;                                                                               \
  }
