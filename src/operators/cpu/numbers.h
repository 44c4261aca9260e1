#pragma once

#include "operators/cpu/vectors.h"
#include "tactus/operator.h"

// The number types of tensors, sixteen at a time.

namespace tactus::TACTUS_ISA {

TACTUS_INLINE Floats from_fp16(Halves bits) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(Floats, _mm512_cvtph_ps(__builtin_bit_cast(__m256i, bits)));
#elif defined(__F16C__)
  const auto all = __builtin_bit_cast(__m256i, bits);
  return joined(_mm256_cvtph_ps(_mm256_castsi256_si128(all)),
                _mm256_cvtph_ps(_mm256_extracti128_si256(all, 1)),
                std::make_integer_sequence<int, 16>());
#else
  const Words wide = widened(bits);
  // A multiplication moves the exponents, also for subnormals; infinity and NaN keep theirs.
  const Floats value = reinterpret_cast<Floats>((wide & 0x7fffu) << 13) * 0x1p112f;
  const Words special =
      choose(equal(wide & 0x7c00u, Words{} + 0x7c00u), Words{} + 0x7f800000u, Words{});
  return reinterpret_cast<Floats>(reinterpret_cast<Words>(value) | special |
                                  (wide & 0x8000u) << 16);
#endif
}

/// To the nearest, ties to even.
TACTUS_INLINE Halves to_fp16(Floats value) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(
      Halves, _mm512_cvtps_ph(__builtin_bit_cast(__m512, value), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
  using Eight = std::make_integer_sequence<int, 8>;
  const __m128i low = _mm256_cvtps_ph(part_of<0>(value, Eight()), _MM_FROUND_TO_NEAREST_INT);
  const __m128i high = _mm256_cvtps_ph(part_of<8>(value, Eight()), _MM_FROUND_TO_NEAREST_INT);
  return __builtin_bit_cast(Halves, _mm256_set_m128i(high, low));
#else
  const auto bits = reinterpret_cast<Words>(value);
  const Words sign = bits >> 16 & 0x8000u;
  const Words size = bits & 0x7fffffffu;
  const Words normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
  // Adding 1/2 leaves the bits of a subnormal at the end of the sum.
  const Words subnormal =
      reinterpret_cast<Words>(reinterpret_cast<Floats>(size) + 0.5f) - 0x3f000000u;
  const Words finite = choose(at_least(size, Words{} + (113u << 23)), normal, subnormal);
  const Words huge =
      choose(at_least(size, Words{} + 0x7f800001u), Words{} + 0x7e00u, Words{} + 0x7c00u);
  return __builtin_convertvector(choose(at_least(size, Words{} + 0x47800000u), huge, finite) | sign,
                                 Halves);
#endif
}

/// Thirty-two numbers. Their type decides which of them are in which vector and stores them the
/// same way, so nothing moves between lanes.
struct Wide {
  Floats a, b;

  TACTUS_INLINE friend Wide operator+(Wide x, Wide y) { return {x.a + y.a, x.b + y.b}; }
  TACTUS_INLINE friend Wide operator-(Wide x, Wide y) { return {x.a - y.a, x.b - y.b}; }
  TACTUS_INLINE friend Wide operator*(Wide x, Wide y) { return {x.a * y.a, x.b * y.b}; }
  TACTUS_INLINE friend Wide operator*(Wide x, Floats y) { return {x.a * y, x.b * y}; }
  TACTUS_INLINE friend Wide operator-(Wide x, Floats y) { return {x.a - y, x.b - y}; }
  TACTUS_INLINE friend Wide operator*(Floats y, Wide x) { return x * y; }
};
inline constexpr std::int64_t kWideLanes = 2 * kLanes;

TACTUS_INLINE Wide silu(Wide x) {
  return {silu(x.a), silu(x.b)};
}

/// The numbers of a cache line.
using Line = Words;

struct Bf16 {
  using Stored = std::uint16_t;
  // Even numbers in one vector, odd ones in the other: each word holds one of each.
  TACTUS_INLINE static Wide load_wide(const Stored* from) {
    const auto both = TACTUS_ISA::load<Words>(from);
    return {reinterpret_cast<Floats>(both << 16), reinterpret_cast<Floats>(both & 0xffff0000u)};
  }
  TACTUS_INLINE static void encode(Wide value, Line (&lines)[1]) {
    lines[0] = nearest(value.a) >> 16 | (nearest(value.b) & 0xffff0000u);
  }
  TACTUS_INLINE static Wide rounded(Wide value) {
    return {reinterpret_cast<Floats>(nearest(value.a) & 0xffff0000u),
            reinterpret_cast<Floats>(nearest(value.b) & 0xffff0000u)};
  }
  /// The position of each of thirty-two numbers: as in load_wide().
  static constexpr std::int64_t place(std::int64_t i) { return i % 2 * kLanes + i / 2; }

  /// Puts numbers in normal order into their positions.
  TACTUS_INLINE static Wide arranged(Wide x) {
    return {__builtin_shufflevector(x.a, x.b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                    30),
            __builtin_shufflevector(x.a, x.b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29,
                                    31)};
  }

  /// Its upper half is the number in bf16. NaN needs no care: a NaN that comes from bf16 or from
  /// arithmetic has a lower half of zeros, so nothing is carried.
  TACTUS_INLINE static Words nearest(Floats value) {
    const auto bits = reinterpret_cast<Words>(value);
#if defined(__AVX512F__)
    const auto given = __builtin_bit_cast(__m512i, bits);
    const __mmask16 odd = _mm512_test_epi32_mask(given, _mm512_set1_epi32(0x10000));
    return __builtin_bit_cast(
        Words, _mm512_mask_add_epi32(_mm512_add_epi32(given, _mm512_set1_epi32(0x7fff)), odd, given,
                                     _mm512_set1_epi32(0x8000)));
#else
    return bits + 0x7fffu + (bits >> 16 & 1u);
#endif
  }
  TACTUS_INLINE static Floats load(const Stored* from) {
    return load_bf16(from);
  }
  TACTUS_INLINE static Floats load_part(const Stored* from, std::int64_t count) {
    return from_bf16(TACTUS_ISA::load_part<Halves>(from, count));
  }
  TACTUS_INLINE static Halves encoded(Floats value) {
    return to_bf16(value);
  }
  TACTUS_INLINE static Floats rounded(Floats value) {
    return rounded_bf16(value);
  }
};

struct Fp16 {
  using Stored = std::uint16_t;
  TACTUS_INLINE static Wide load_wide(const Stored* from) {
    return {load(from), load(from + kLanes)};
  }
  TACTUS_INLINE static void encode(Wide value, Line (&lines)[1]) {
#if defined(__AVX512F__)
    const auto half = [](Floats v) { return __builtin_bit_cast(__m256i, to_fp16(v)); };
    lines[0] = __builtin_bit_cast(
        Line, _mm512_inserti64x4(_mm512_castsi256_si512(half(value.a)), half(value.b), 1));
#else
    const Halves halves[2] = {to_fp16(value.a), to_fp16(value.b)};
    lines[0] = TACTUS_ISA::load<Line>(halves);
#endif
  }
  TACTUS_INLINE static Wide rounded(Wide value) {
    return {rounded(value.a), rounded(value.b)};
  }
  static constexpr std::int64_t place(std::int64_t i) {
    return i;
  }
  TACTUS_INLINE static Wide arranged(Wide x) {
    return x;
  }
  TACTUS_INLINE static Floats load(const Stored* from) {
    return from_fp16(TACTUS_ISA::load<Halves>(from));
  }
  TACTUS_INLINE static Floats load_part(const Stored* from, std::int64_t count) {
    return from_fp16(TACTUS_ISA::load_part<Halves>(from, count));
  }
  TACTUS_INLINE static Halves encoded(Floats value) {
    return to_fp16(value);
  }
  TACTUS_INLINE static Floats rounded(Floats value) {
    return from_fp16(to_fp16(value));
  }
};

struct Fp32 {
  using Stored = float;
  TACTUS_INLINE static Wide load_wide(const Stored* from) {
    return {load(from), load(from + kLanes)};
  }
  TACTUS_INLINE static void encode(Wide value, Line (&lines)[2]) {
    lines[0] = reinterpret_cast<Line>(value.a);
    lines[1] = reinterpret_cast<Line>(value.b);
  }
  TACTUS_INLINE static Wide rounded(Wide value) { return value; }
  static constexpr std::int64_t place(std::int64_t i) { return i; }
  TACTUS_INLINE static Wide arranged(Wide x) { return x; }
  TACTUS_INLINE static Floats load(const Stored* from) { return TACTUS_ISA::load<Floats>(from); }
  TACTUS_INLINE static Floats load_part(const Stored* from, std::int64_t count) {
    return TACTUS_ISA::load_part<Floats>(from, count);
  }
  TACTUS_INLINE static Floats encoded(Floats value) { return value; }
  TACTUS_INLINE static Floats rounded(Floats value) { return value; }
};

/// fp8 with 4 bits of exponent and 3 of mantissa.
template <int kBias, std::uint32_t kLargest>
struct Fp8 {
  using Stored = std::uint8_t;
  static constexpr bool kFnuz = kBias == 8;  // no negative zero, one NaN

  TACTUS_INLINE static Floats decoded(Bytes bytes) {
    const Words bits = widened(bytes);
    const Words halves = (bits & 0x80u) << 8 | (bits & 0x7fu) << 7;
    // Read as fp16 it is a number with the same mantissa, 2^8 or 2^7 times too small.
    const Floats value = from_fp16(narrowed(halves)) * (kFnuz ? 128.0f : 256.0f);
    const Ints no_number =
        kFnuz ? equal(bits, Words{} + 0x80u) : equal(bits & 0x7fu, Words{} + 0x7fu);
    return choose(no_number, all(__builtin_nanf("")), value);
  }
  TACTUS_INLINE static Floats load(const Stored* from) {
    return decoded(TACTUS_ISA::load<Bytes>(from));
  }
  TACTUS_INLINE static Floats load_part(const Stored* from, std::int64_t count) {
    return decoded(TACTUS_ISA::load_part<Bytes>(from, count));
  }

  /// To the nearest, ties to even; NaN beyond the largest.
  TACTUS_INLINE static Bytes encoded(Floats value) {
    constexpr auto kLeastNormal = static_cast<std::uint32_t>(128 - kBias) << 23;
    const auto bits = reinterpret_cast<Words>(value);
    const Words size = bits & 0x7fffffffu;
    // A power of two so large that adding it rounds to the precision of the format at this size.
    const Words exponent = larger(size & 0x7f800000u, Words{} + kLeastNormal);
    const Words power = exponent + (20u << 23);
    const auto sum =
        reinterpret_cast<Words>(reinterpret_cast<Floats>(size) + reinterpret_cast<Floats>(power));
    Words code = (sum - power) + ((exponent - kLeastNormal) >> 20);
    code = smaller(code, Words{} + (kLargest + 1));
    const Words sign = bits >> 24 & 0x80u;
    // Negative zero and the NaN of fnuz have no sign.
    const Words with_sign =
        kFnuz ? choose(equal(code & 0x7fu, Words{}), code, code | sign) : code | sign;
    return narrowed_to_bytes(with_sign);
  }

  /// Thirty-two numbers in bf16, two in each word, times `factor`, at most `limit`.
  TACTUS_INLINE static Halves scaled(Words both, Floats factor, Floats limit) {
    const Words even = code_of(reinterpret_cast<Floats>(both << 16 & 0x7fffffffu) * factor, limit);
    const Words odd = code_of(reinterpret_cast<Floats>(both & 0x7fff0000u) * factor, limit);
    const Words codes = (odd << 16) | (even & 0xffffu);
    Words signs = both >> 8 & 0x00800080u;
    if constexpr (kFnuz) {  // zero has no sign
      const auto sizes = reinterpret_cast<ShortWords>(codes & 0x007f007fu);
      signs &= reinterpret_cast<Words>(in_registers([](auto x) { return x != 0; }, sizes));
    }
    return narrowed_to_bytes(reinterpret_cast<ShortWords>((codes & 0x007f007fu) | signs));
  }

 private:
  /// The last seven bits are the code of a non-negative number.
  TACTUS_INLINE static Words code_of(Floats value, Floats limit) {
    constexpr auto kLeastNormal = static_cast<std::uint32_t>(128 - kBias) << 23;
    // The last byte of the sum counts from here, so adding the exponent gives the code.
    constexpr std::uint32_t kCountFrom = (0u - (kLeastNormal >> 20)) & 0xffu;
    const Floats size = smaller(value, limit);
    const Words exponent =
        larger(reinterpret_cast<Words>(size) & 0x7f800000u, Words{} + kLeastNormal);
    const Words power = exponent + ((20u << 23) + kCountFrom);
    return reinterpret_cast<Words>(size + reinterpret_cast<Floats>(power)) + (exponent >> 20);
  }
};
using E4m3 = Fp8<7, 0x7e>;
using E4m3Fnuz = Fp8<8, 0x7f>;

/// Loads from a row with `left` numbers left.
template <class Number>
TACTUS_INLINE Floats take(const typename Number::Stored* from, std::int64_t left) {
  return left >= kLanes ? Number::load(from) : Number::load_part(from, left);
}
template <class Number>
TACTUS_INLINE void put(typename Number::Stored* to, Floats value, std::int64_t left) {
  if (left >= kLanes) {
    store(to, Number::encoded(value));
  } else {
    store_part(to, Number::encoded(value), left);
  }
}

/// A whole vector, known at compile time.
struct Whole {
  operator std::int64_t() const { return kLanes; }  // NOLINT: stands for a number
};
template <class Number>
TACTUS_INLINE Floats take(const typename Number::Stored* from, Whole) {
  return Number::load(from);
}

/// Thirty-two numbers, known at compile time.
struct WholeWide {
  operator std::int64_t() const { return kWideLanes; }  // NOLINT: stands for a number
};
template <class Number>
TACTUS_INLINE Wide take_wide(const typename Number::Stored* from, WholeWide) {
  return Number::load_wide(from);
}
/// The end of a row, zeros after it.
template <class Number>
TACTUS_INLINE Wide take_wide(const typename Number::Stored* from, std::int64_t left) {
  typename Number::Stored numbers[kWideLanes] = {};
  std::memcpy(numbers, from, static_cast<std::size_t>(left) * sizeof numbers[0]);
  return Number::load_wide(numbers);
}

/// body(i, left) for each vector of a row: `left` is Whole{} for all except the rest.
template <class Body>
TACTUS_INLINE void each_vector(std::int64_t count, const Body& body) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) body(i, Whole{});
  if (i < count) body(i, count - i);
}
/// The same for each thirty-two: `left` is WholeWide{} for all except the rest.
template <class Body>
TACTUS_INLINE void each_wide(std::int64_t count, const Body& body) {
  std::int64_t i = 0;
  for (; i + kWideLanes <= count; i += kWideLanes) body(i, WholeWide{});
  if (i < count) body(i, count - i);
}

/// Prefetches the data one row after `at`, or 4 KB if rows are shorter, into the second cache: the
/// hardware prefetches too, but not far enough. Beyond the end of a tensor it does nothing.
template <class T>
TACTUS_INLINE void fetch_behind(const T* at, std::int64_t row = 0) {
  constexpr auto kLeast = static_cast<std::int64_t>(4096 / sizeof(T));
  // As a number, because the address may not exist.
  const auto behind = static_cast<std::uintptr_t>(row > kLeast ? row : kLeast) * sizeof(T);
  const std::uintptr_t line = reinterpret_cast<std::uintptr_t>(at) + behind;
  for (std::size_t byte = 0; byte < kWideLanes * sizeof(T); byte += 64) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    __builtin_prefetch(reinterpret_cast<const void*>(line + byte), 0, 2);
  }
}

/// Writes an output: past the caches if it is large and rows are aligned.
template <class Number>
struct Writer {
  using Stored = typename Number::Stored;
  static constexpr auto kSize = static_cast<std::int64_t>(sizeof(Stored));
  bool once = false;

  static bool large(std::int64_t elements) { return elements * kSize >= std::int64_t{4} << 20; }
  Writer(std::int64_t elements, std::int64_t row_elements)
      : once(large(elements) && row_elements * kSize % 64 == 0) {}
  explicit Writer(bool past_the_caches) : once(past_the_caches) {}

  TACTUS_INLINE void put(Stored* to, Floats value, std::int64_t left) const {
    if (once && left >= kLanes) {
      store_once(to, Number::encoded(value));
    } else {
      TACTUS_ISA::put<Number>(to, value, left);
    }
  }
  TACTUS_INLINE void put(Stored* to, Floats value, Whole) const {
    if (once) {
      store_once(to, Number::encoded(value));
    } else {
      store(to, Number::encoded(value));
    }
  }
  TACTUS_INLINE void put(Stored* to, Wide value, std::int64_t left) const {
    constexpr int kLines = static_cast<int>(kWideLanes * kSize / 64);
    Line lines[kLines];
    Number::encode(value, lines);
    std::memcpy(to, lines, static_cast<std::size_t>(left * kSize));
  }
  TACTUS_INLINE void put(Stored* to, Wide value, WholeWide) const {
    constexpr int kLines = static_cast<int>(kWideLanes * kSize / 64);
    constexpr int kStep = 64 / kSize;
    Line lines[kLines];
    Number::encode(value, lines);
    for (int i = 0; i < kLines; ++i) {
      if (once) {
        store_once(to + i * kStep, lines[i]);
      } else {
        store(to + i * kStep, lines[i]);
      }
    }
  }
  TACTUS_INLINE void copy(Stored* to, const Stored* from, std::int64_t left) const {
    std::memcpy(to, from, static_cast<std::size_t>(left * kSize));
  }
  TACTUS_INLINE void copy(Stored* to, const Stored* from, WholeWide) const {
    constexpr int kStep = 64 / kSize;
    for (int i = 0; i < kWideLanes; i += kStep) {
      const Line line = load<Line>(from + i);
      if (once) {
        store_once(to + i, line);
      } else {
        store(to + i, line);
      }
    }
  }
  TACTUS_INLINE void finish() const {
    if (once) finish_stores();
  }
};

/// body(Number{}) for a type with arithmetic; 1 for others.
template <class Body>
inline int with_number(std::int32_t dtype, const Body& body) {
  if (dtype == TACTUS_BF16) return body(Bf16{});
  if (dtype == TACTUS_FP16) return body(Fp16{});
  if (dtype == TACTUS_FP32) return body(Fp32{});
  return 1;
}
template <class Body>
inline int with_half(std::int32_t dtype, const Body& body) {
  if (dtype == TACTUS_BF16) return body(Bf16{});
  if (dtype == TACTUS_FP16) return body(Fp16{});
  return 1;
}

}  // namespace tactus::TACTUS_ISA
