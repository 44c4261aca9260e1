#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Sixteen numbers at a time, in the vectors of the compiler: one source for every instruction set.
// This header and the kernels are compiled once for each (isa_*.cc), each time in another
// namespace, so that no function for a newer machine is ever shared with an older one.

#ifndef TACTUS_ISA
#error "isa_*.cc says which instruction set this is for"
#endif

// GCC does not always inline small functions if a file has many of them, and vectors then go
// through memory.
#define TACTUS_INLINE [[gnu::always_inline]] inline

namespace tactus::TACTUS_ISA {

using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));
using Words = std::uint32_t __attribute__((vector_size(64)));
using Halves = std::uint16_t __attribute__((vector_size(32)));
using ShortWords = std::uint16_t __attribute__((vector_size(64)));
using Bytes = std::uint8_t __attribute__((vector_size(16)));

inline constexpr std::int64_t kLanes = 16;

// If the machine has no registers for a vector type, GCC compiles comparisons and selections number
// by number; written by hand, they are only halved until they fit.
#if defined(__AVX512F__)
inline constexpr std::size_t kRegisterBytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t kRegisterBytes = 32;
#else
inline constexpr std::size_t kRegisterBytes = 16;
#endif

template <class Vector>
inline constexpr int kNumbersOf = sizeof(Vector) / sizeof(std::declval<Vector>()[0]);

template <int kFirst, class Vector, int... kLane>
TACTUS_INLINE auto part_of(const Vector& vector, std::integer_sequence<int, kLane...>) {
  return __builtin_shufflevector(vector, vector, (kFirst + kLane)...);
}
template <class Vector, int... kLane>
TACTUS_INLINE auto joined(const Vector& low, const Vector& high,
                          std::integer_sequence<int, kLane...>) {
  return __builtin_shufflevector(low, high, kLane...);
}

/// body(vectors...) in parts that fit registers.
template <class Body, class First, class... Vectors>
TACTUS_INLINE auto in_registers(const Body& body, const First& first, const Vectors&... rest) {
  if constexpr (sizeof(First) <= kRegisterBytes) {
    return body(first, rest...);
  } else {
    constexpr int kHalf = kNumbersOf<First> / 2;
    using Lanes = std::make_integer_sequence<int, kHalf>;
    const auto low = in_registers(body, part_of<0>(first, Lanes()), part_of<0>(rest, Lanes())...);
    const auto high =
        in_registers(body, part_of<kHalf>(first, Lanes()), part_of<kHalf>(rest, Lanes())...);
    return joined(low, high, std::make_integer_sequence<int, 2 * kHalf>());
  }
}

TACTUS_INLINE Ints less(Floats a, Floats b) {
  return in_registers([](auto x, auto y) { return x < y; }, a, b);
}
TACTUS_INLINE Ints equal(Words a, Words b) {
  return in_registers([](auto x, auto y) { return x == y; }, a, b);
}
TACTUS_INLINE Ints at_least(Words a, Words b) {
  return in_registers([](auto x, auto y) { return x >= y; }, a, b);
}
TACTUS_INLINE Ints is_nan(Floats a) {
  // NOLINTNEXTLINE(misc-redundant-expression): only a NaN differs from itself
  return in_registers([](auto x) { return x != x; }, a);
}
TACTUS_INLINE Floats choose(Ints condition, Floats yes, Floats no) {
  return in_registers([](auto c, auto y, auto n) { return c ? y : n; }, condition, yes, no);
}
TACTUS_INLINE Words choose(Ints condition, Words yes, Words no) {
  return in_registers([](auto c, auto y, auto n) { return c ? y : n; }, condition, yes, no);
}

template <class Vector, class T>
TACTUS_INLINE Vector load(const T* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
template <class Vector, class T>
TACTUS_INLINE void store(T* to, const Vector& vector) {
  std::memcpy(to, &vector, sizeof vector);
}

/// The first `count` of a vector, the rest zero: the end of a row.
template <class Vector, class T>
TACTUS_INLINE Vector load_part(const T* from, std::int64_t count) {
  Vector vector = {};
  std::memcpy(&vector, from, static_cast<std::size_t>(count) * sizeof(T));
  return vector;
}
template <class Vector, class T>
TACTUS_INLINE void store_part(T* to, const Vector& vector, std::int64_t count) {
  std::memcpy(to, &vector, static_cast<std::size_t>(count) * sizeof(T));
}

/// Past the caches, for data that is not read again soon; `to` must be aligned to the vector.
template <class Vector, class T>
TACTUS_INLINE void store_once(T* to, const Vector& vector) {
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

/// Makes data that was stored past the caches visible to other threads.
TACTUS_INLINE void finish_stores() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

TACTUS_INLINE Floats all(float value) {
  return Floats{} + value;
}

// GCC compiles some conversions between widths number by number, so they are written by hand.
TACTUS_INLINE Words widened(Halves bits) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(Words, _mm512_cvtepu16_epi32(__builtin_bit_cast(__m256i, bits)));
#else
  return __builtin_convertvector(bits, Words);
#endif
}
TACTUS_INLINE Words widened(Bytes bits) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(Words, _mm512_cvtepu8_epi32(__builtin_bit_cast(__m128i, bits)));
#elif defined(__AVX2__)
  const auto all = __builtin_bit_cast(__m128i, bits);
  const __m256i halves[2] = {_mm256_cvtepu8_epi32(all),
                             _mm256_cvtepu8_epi32(_mm_srli_si128(all, 8))};
  return load<Words>(halves);
#else
  return __builtin_convertvector(bits, Words);
#endif
}
TACTUS_INLINE Halves narrowed(Words bits) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(Halves, _mm512_cvtepi32_epi16(__builtin_bit_cast(__m512i, bits)));
#elif defined(__AVX2__)
  const Words low_halves = bits & 0xffffu;
  using Eight = std::make_integer_sequence<int, 8>;
  const __m256i packed =
      _mm256_packus_epi32(__builtin_bit_cast(__m256i, part_of<0>(low_halves, Eight())),
                          __builtin_bit_cast(__m256i, part_of<8>(low_halves, Eight())));
  return __builtin_bit_cast(Halves, _mm256_permute4x64_epi64(packed, 0b11011000));
#else
  return __builtin_convertvector(bits, Halves);
#endif
}

TACTUS_INLINE Bytes narrowed_to_bytes(Words bits) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(Bytes, _mm512_cvtepi32_epi8(__builtin_bit_cast(__m512i, bits)));
#else
  return __builtin_convertvector(bits, Bytes);
#endif
}

/// Thirty-two bytes.
TACTUS_INLINE Halves narrowed_to_bytes(ShortWords bits) {
#if defined(__AVX512BW__)
  return __builtin_bit_cast(Halves, _mm512_cvtepi16_epi8(__builtin_bit_cast(__m512i, bits)));
#else
  using ThirtyTwoBytes = std::uint8_t __attribute__((vector_size(32)));
  return reinterpret_cast<Halves>(__builtin_convertvector(bits, ThirtyTwoBytes));
#endif
}

TACTUS_INLINE Floats from_bf16(Halves bits) {
  return reinterpret_cast<Floats>(widened(bits) << 16);
}

/// Bits whose upper halves are the numbers in bf16, to the nearest, ties to even; NaN stays NaN.
/// The lower halves have no meaning.
TACTUS_INLINE Words bits_to_bf16(Floats value) {
#if defined(__AVX512F__)
  // NaN becomes one that the addition does not change; all else stays.
  const auto given = __builtin_bit_cast(__m512, value);
  const __m512i bits =
      _mm512_castps_si512(_mm512_fixupimm_ps(given, given, _mm512_set1_epi32(0x11111133), 0));
  const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
  const __m512i half = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
  return __builtin_bit_cast(Words,
                            _mm512_mask_add_epi32(half, odd, bits, _mm512_set1_epi32(0x8000)));
#else
  const auto bits = reinterpret_cast<Words>(value);
  const Words even = bits + 0x7fffu + (bits >> 16 & 1u);
  const Words nan = bits | 0x400000u;
  return choose(is_nan(value), nan, even);
#endif
}

TACTUS_INLINE Halves to_bf16(Floats value) {
  return narrowed(bits_to_bf16(value) >> 16);
}

TACTUS_INLINE Floats load_bf16(const std::uint16_t* from) {
  return from_bf16(load<Halves>(from));
}
TACTUS_INLINE void store_bf16(std::uint16_t* to, Floats value) {
  store(to, to_bf16(value));
}

/// The numbers rounded to bf16 and back.
TACTUS_INLINE Floats rounded_bf16(Floats value) {
  return reinterpret_cast<Floats>(bits_to_bf16(value) & 0xffff0000u);
}

/// Joins halves of a vector, and halves of that: four numbers.
template <class Body>
TACTUS_INLINE auto folded(const Body& body, Floats value) {
  using Eight = std::make_integer_sequence<int, 8>;
  using Four = std::make_integer_sequence<int, 4>;
  const auto half = in_registers(body, part_of<0>(value, Eight()), part_of<8>(value, Eight()));
  return body(part_of<0>(half, Four()), part_of<4>(half, Four()));
}

TACTUS_INLINE float sum(Floats value) {
#if defined(__AVX512F__)
  return _mm512_reduce_add_ps(__builtin_bit_cast(__m512, value));
#else
  const auto quarter = folded([](auto x, auto y) { return x + y; }, value);
  return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
#endif
}

TACTUS_INLINE Floats larger(Floats a, Floats b) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(
      Floats, _mm512_max_ps(__builtin_bit_cast(__m512, a), __builtin_bit_cast(__m512, b)));
#else
  return in_registers([](auto x, auto y) { return x > y ? x : y; }, a, b);
#endif
}
TACTUS_INLINE Floats smaller(Floats a, Floats b) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(
      Floats, _mm512_min_ps(__builtin_bit_cast(__m512, a), __builtin_bit_cast(__m512, b)));
#else
  return in_registers([](auto x, auto y) { return x < y ? x : y; }, a, b);
#endif
}
TACTUS_INLINE Words larger(Words a, Words b) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(
      Words, _mm512_max_epu32(__builtin_bit_cast(__m512i, a), __builtin_bit_cast(__m512i, b)));
#else
  return in_registers([](auto x, auto y) { return x > y ? x : y; }, a, b);
#endif
}
TACTUS_INLINE Words smaller(Words a, Words b) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(
      Words, _mm512_min_epu32(__builtin_bit_cast(__m512i, a), __builtin_bit_cast(__m512i, b)));
#else
  return in_registers([](auto x, auto y) { return x < y ? x : y; }, a, b);
#endif
}
TACTUS_INLINE ShortWords larger(ShortWords a, ShortWords b) {
#if defined(__AVX512BW__)
  return __builtin_bit_cast(
      ShortWords, _mm512_max_epu16(__builtin_bit_cast(__m512i, a), __builtin_bit_cast(__m512i, b)));
#else
  return in_registers([](auto x, auto y) { return x > y ? x : y; }, a, b);
#endif
}
TACTUS_INLINE std::uint16_t largest(ShortWords value) {
#if defined(__AVX2__)
  __m256i halves[2];
  std::memcpy(halves, &value, sizeof halves);
  const __m256i half = _mm256_max_epu16(halves[0], halves[1]);
  const __m128i quarter =
      _mm_max_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  // There is an instruction for the smallest of eight.
  const __m128i found = _mm_minpos_epu16(_mm_xor_si128(quarter, _mm_set1_epi16(-1)));
  return static_cast<std::uint16_t>(~_mm_cvtsi128_si32(found));
#else
  std::uint16_t best = 0;
  for (int i = 0; i < 32; ++i) best = value[i] > best ? value[i] : best;
  return best;
#endif
}
TACTUS_INLINE Floats absolute(Floats value) {
  return reinterpret_cast<Floats>(reinterpret_cast<Words>(value) & 0x7fffffffu);
}
TACTUS_INLINE float largest(Floats value) {
#if defined(__AVX512F__)
  return _mm512_reduce_max_ps(__builtin_bit_cast(__m512, value));
#else
  const auto quarter = folded([](auto x, auto y) { return x > y ? x : y; }, value);
  float best = quarter[0];
  for (int i = 1; i < 4; ++i) best = quarter[i] > best ? quarter[i] : best;
  return best;
#endif
}

/// e^x to about 1e-7 relative; 0 below -87 or so, infinity above 88.7.
TACTUS_INLINE Floats exponential(Floats x) {
#if defined(__AVX512F__)
  // The limits are first operands: NaN stays.
  const Floats clamped = smaller(all(89.0f), larger(all(-105.0f), x));
  const Floats n = __builtin_bit_cast(
      Floats, _mm512_roundscale_ps(__builtin_bit_cast(__m512, clamped * 1.44269504088896341f),
                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
  const Floats clamped = smaller(larger(x, all(-87.5f)), all(88.8f));
  const Floats scaled = clamped * 1.44269504088896341f;
  const Ints whole =
      __builtin_convertvector(scaled + choose(less(scaled, Floats{}), all(-0.5f), all(0.5f)), Ints);
  const Floats n = __builtin_convertvector(whole, Floats);
#endif
  // ln 2 in two parts, so that the rest is exact.
  const Floats r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;
  Floats p = all(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + (r + 1.0f);
#if defined(__AVX512F__)
  return __builtin_bit_cast(
      Floats, _mm512_scalef_ps(__builtin_bit_cast(__m512, p), __builtin_bit_cast(__m512, n)));
#else
  // 2^n in two factors: n reaches 128, one more than a single factor can have.
  const Ints half = whole >> 1;
  const auto first = reinterpret_cast<Floats>((half + 127) << 23);
  const auto second = reinterpret_cast<Floats>((whole - half + 127) << 23);
  const Floats result = p * first * second;
  const Floats finite = choose(less(all(88.72284f), x), all(__builtin_inff()), result);
  return choose(less(x, all(-87.5f)), Floats{}, finite);
#endif
}

/// 1 / x for x from 1 to 2.
TACTUS_INLINE Floats inverse_of_one_to_two(Floats x) {
#if defined(__AVX512F__)
  // A guess to 14 bits and one Newton step: a third of the time of a division.
  const Floats guess = __builtin_bit_cast(Floats, _mm512_rcp14_ps(__builtin_bit_cast(__m512, x)));
  return guess + guess * (1.0f - x * guess);
#else
  return 1.0f / x;
#endif
}

/// 2^t for t from -150 to 0, to 1.5 half units. It takes half the time of exponential(), but does
/// not correct the rounding of t: a result computed from x this way has an extra error of x units.
TACTUS_INLINE Floats two_to(Floats t) {
#if defined(__AVX512DQ__)
  // t minus the whole number below it; 2^t takes the whole number from t itself.
  const auto given = __builtin_bit_cast(__m512, t);
  const Floats f = __builtin_bit_cast(
      Floats, _mm512_reduce_ps(given, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
#else
  Ints whole = __builtin_convertvector(t, Ints);
  whole += less(t, __builtin_convertvector(whole, Floats));
  const Floats f = t - __builtin_convertvector(whole, Floats);
#endif
  // The least relative error, 8.2e-8, of all polynomials that are 1 at 0.
  Floats p = all(1.8671300724e-3f);
  p = p * f + 9.0170303159e-3f;
  p = p * f + 5.5799913110e-2f;
  p = p * f + 2.4016445015e-1f;
  p = p * f + 6.9315131180e-1f;
  p = p * f + 1.0f;
#if defined(__AVX512DQ__)
  return __builtin_bit_cast(Floats, _mm512_scalef_ps(__builtin_bit_cast(__m512, p), given));
#else
  const Ints half = whole >> 1;
  return p * reinterpret_cast<Floats>((half + 127) << 23) *
         reinterpret_cast<Floats>((whole - half + 127) << 23);
#endif
}

inline constexpr float kLog2E = 1.44269504088896341f;

/// factor * sigmoid(x)
TACTUS_INLINE Floats times_sigmoid(Floats x, Floats factor) {
  // e^-|x| is never large.
  auto power = reinterpret_cast<Floats>(reinterpret_cast<Words>(x * kLog2E) | 0x80000000u);
#if !defined(__AVX512DQ__)
  power = larger(power, all(-150.0f));
#endif
  const Floats small = two_to(power);
  const Floats inverse = inverse_of_one_to_two(1.0f + small);
  return choose(less(x, Floats{}), small * factor, factor) * inverse;
}
TACTUS_INLINE Floats sigmoid(Floats x) {
  return times_sigmoid(x, all(1.0f));
}
TACTUS_INLINE Floats silu(Floats x) {
  return times_sigmoid(x, x);
}

}  // namespace tactus::TACTUS_ISA
