#pragma once

#include <cstdint>
#include <cstring>

// Sixteen numbers at a time, in the vectors of the compiler: one source for every instruction set.
// This header and the kernels are compiled once for each (isa_*.cc), each time in another
// namespace, so that no function for a newer machine is ever shared with an older one.

#ifndef TACTUS_ISA
#error "isa_*.cc says which instruction set this is for"
#endif

namespace tactus::TACTUS_ISA {

using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));
using Words = std::uint32_t __attribute__((vector_size(64)));
using Halves = std::uint16_t __attribute__((vector_size(32)));
using Bytes = std::uint8_t __attribute__((vector_size(16)));

inline constexpr std::int64_t kLanes = 16;

template <class Vector, class T>
inline Vector load(const T* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
template <class Vector, class T>
inline void store(T* to, const Vector& vector) {
  std::memcpy(to, &vector, sizeof vector);
}

inline Floats all(float value) {
  return Floats{} + value;
}

inline Floats from_bf16(Halves bits) {
  return reinterpret_cast<Floats>(__builtin_convertvector(bits, Words) << 16);
}

/// To the nearest, ties to even; NaN stays NaN.
inline Halves to_bf16(Floats value) {
  const Words bits = reinterpret_cast<Words>(value);
  const Words even = bits + 0x7fffu + (bits >> 16 & 1u);
  const Words nan = bits | 0x400000u;
  const Ints is_nan = value != value;
  const Words chosen =
      (even & ~reinterpret_cast<Words>(is_nan)) | (nan & reinterpret_cast<Words>(is_nan));
  return __builtin_convertvector(chosen >> 16, Halves);
}

inline Floats load_bf16(const std::uint16_t* from) {
  return from_bf16(load<Halves>(from));
}
inline void store_bf16(std::uint16_t* to, Floats value) {
  store(to, to_bf16(value));
}

/// The numbers rounded to bf16 and back.
inline Floats rounded_bf16(Floats value) {
  return from_bf16(to_bf16(value));
}

inline float sum(Floats value) {
  float total = 0;
  for (int i = 0; i < kLanes; ++i) total += value[i];
  return total;
}

inline Floats larger(Floats a, Floats b) {
  return a > b ? a : b;
}
inline Floats smaller(Floats a, Floats b) {
  return a < b ? a : b;
}
inline Floats absolute(Floats value) {
  return reinterpret_cast<Floats>(reinterpret_cast<Words>(value) & 0x7fffffffu);
}
inline float largest(Floats value) {
  float best = value[0];
  for (int i = 1; i < kLanes; ++i) best = value[i] > best ? value[i] : best;
  return best;
}

/// e^x to about 1e-7 relative; 0 below -87, infinity above 88.7.
inline Floats exponential(Floats x) {
  const Floats clamped = smaller(larger(x, all(-87.5f)), all(88.8f));
  const Floats scaled = clamped * 1.44269504088896341f;
  const Ints whole = __builtin_convertvector(scaled + (scaled < 0 ? all(-0.5f) : all(0.5f)), Ints);
  const Floats n = __builtin_convertvector(whole, Floats);
  // ln 2 in two parts, so that the rest is exact.
  const Floats r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;
  Floats p = all(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  // 2^n in two factors: n reaches 128, one more than a single factor can have.
  const Ints half = whole >> 1;
  const Floats first = reinterpret_cast<Floats>((half + 127) << 23);
  const Floats second = reinterpret_cast<Floats>((whole - half + 127) << 23);
  const Floats result = p * first * second;
  return x < -87.5f ? all(0) : x > 88.72284f ? all(__builtin_inff()) : result;
}

inline Floats sigmoid(Floats x) {
  return 1.0f / (1.0f + exponential(-x));
}
inline Floats silu(Floats x) {
  return x / (1.0f + exponential(-x));
}

}  // namespace tactus::TACTUS_ISA
