#pragma once

#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

/// The first `count` of a vector, the rest zero: the end of a row.
template <class Vector, class T>
inline Vector load_part(const T* from, std::int64_t count) {
  Vector vector = {};
  std::memcpy(&vector, from, static_cast<std::size_t>(count) * sizeof(T));
  return vector;
}
template <class Vector, class T>
inline void store_part(T* to, const Vector& vector, std::int64_t count) {
  std::memcpy(to, &vector, static_cast<std::size_t>(count) * sizeof(T));
}

/// Past the caches, for what is not read again soon; `to` must be aligned to the vector.
template <class Vector, class T>
inline void store_once(T* to, const Vector& vector) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Vector) == 64) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), __builtin_bit_cast(__m512i, vector));
    return;
  }
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(Vector) >= 32) {
    for (std::size_t i = 0; i < sizeof(Vector) / 32; ++i) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to) + i,
                          load<__m256i>(reinterpret_cast<const __m256i*>(&vector) + i));
    }
    return;
  }
#endif
#if defined(__SSE2__)
  for (std::size_t i = 0; i < sizeof(Vector) / 16; ++i) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i,
                     load<__m128i>(reinterpret_cast<const __m128i*>(&vector) + i));
  }
#else
  store(to, vector);
#endif
}

/// What was stored past the caches is there for others.
inline void finish_stores() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
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
#if defined(__AVX512F__)
  return _mm512_reduce_add_ps(__builtin_bit_cast(__m512, value));
#else
  float total = 0;
  for (int i = 0; i < kLanes; ++i) total += value[i];
  return total;
#endif
}

inline Floats larger(Floats a, Floats b) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(
      Floats, _mm512_max_ps(__builtin_bit_cast(__m512, a), __builtin_bit_cast(__m512, b)));
#else
  return a > b ? a : b;
#endif
}
inline Floats smaller(Floats a, Floats b) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(
      Floats, _mm512_min_ps(__builtin_bit_cast(__m512, a), __builtin_bit_cast(__m512, b)));
#else
  return a < b ? a : b;
#endif
}
inline Floats absolute(Floats value) {
  return reinterpret_cast<Floats>(reinterpret_cast<Words>(value) & 0x7fffffffu);
}
inline float largest(Floats value) {
#if defined(__AVX512F__)
  return _mm512_reduce_max_ps(__builtin_bit_cast(__m512, value));
#else
  float best = value[0];
  for (int i = 1; i < kLanes; ++i) best = value[i] > best ? value[i] : best;
  return best;
#endif
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
