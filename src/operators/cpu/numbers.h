#pragma once

#include "operators/cpu/vectors.h"
#include "tactus/operator.h"

// The number types of tensors, sixteen at a time.

namespace tactus::TACTUS_ISA {

TACTUS_INLINE Floats choose(Ints condition, Floats yes, Floats no) {
  return condition ? yes : no;
}
TACTUS_INLINE Words choose(Ints condition, Words yes, Words no) {
  return condition ? yes : no;
}

TACTUS_INLINE Floats from_fp16(Halves bits) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(Floats, _mm512_cvtph_ps(__builtin_bit_cast(__m256i, bits)));
#else
  const Words wide = widened(bits);
  // Exponents move by a product, which also takes care of subnormals; infinity and NaN keep theirs.
  const Floats value = reinterpret_cast<Floats>((wide & 0x7fffu) << 13) * 0x1p112f;
  const Words special = (wide & 0x7c00u) == 0x7c00u ? Words{} + 0x7f800000u : Words{};
  return reinterpret_cast<Floats>(reinterpret_cast<Words>(value) | special |
                                  (wide & 0x8000u) << 16);
#endif
}

/// To the nearest, ties to even.
TACTUS_INLINE Halves to_fp16(Floats value) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(
      Halves, _mm512_cvtps_ph(__builtin_bit_cast(__m512, value), _MM_FROUND_TO_NEAREST_INT));
#else
  const Words bits = reinterpret_cast<Words>(value);
  const Words sign = bits >> 16 & 0x8000u;
  const Words size = bits & 0x7fffffffu;
  const Words normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
  // Adding 1/2 leaves the bits of a subnormal at the end of the sum.
  const Words subnormal =
      reinterpret_cast<Words>(reinterpret_cast<Floats>(size) + 0.5f) - 0x3f000000u;
  const Words finite = choose(size < (113u << 23), subnormal, normal);
  const Words huge = choose(size > 0x7f800000u, Words{} + 0x7e00u, Words{} + 0x7c00u);
  return __builtin_convertvector(choose(size >= 0x47800000u, huge, finite) | sign, Halves);
#endif
}

struct Bf16 {
  using Stored = std::uint16_t;
  TACTUS_INLINE static Floats load(const Stored* from) { return load_bf16(from); }
  TACTUS_INLINE static Floats load_part(const Stored* from, std::int64_t count) {
    return from_bf16(TACTUS_ISA::load_part<Halves>(from, count));
  }
  TACTUS_INLINE static Halves encoded(Floats value) { return to_bf16(value); }
  TACTUS_INLINE static Floats rounded(Floats value) { return rounded_bf16(value); }
};

struct Fp16 {
  using Stored = std::uint16_t;
  TACTUS_INLINE static Floats load(const Stored* from) {
    return from_fp16(TACTUS_ISA::load<Halves>(from));
  }
  TACTUS_INLINE static Floats load_part(const Stored* from, std::int64_t count) {
    return from_fp16(TACTUS_ISA::load_part<Halves>(from, count));
  }
  TACTUS_INLINE static Halves encoded(Floats value) { return to_fp16(value); }
  TACTUS_INLINE static Floats rounded(Floats value) { return from_fp16(to_fp16(value)); }
};

struct Fp32 {
  using Stored = float;
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
    // As fp16 it is a number with the same mantissa, 2^8 or 2^7 times too small.
    const Floats value = from_fp16(narrowed(halves)) * (kFnuz ? 128.0f : 256.0f);
    const Ints is_nan = kFnuz ? bits == 0x80u : (bits & 0x7fu) == 0x7fu;
    return choose(is_nan, all(__builtin_nanf("")), value);
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
    const Words bits = reinterpret_cast<Words>(value);
    const Words size = bits & 0x7fffffffu;
    // A power of two so large that adding it rounds to what the format has at this size.
    const Words exponent = larger(size & 0x7f800000u, Words{} + kLeastNormal);
    const Words power = exponent + (20u << 23);
    const Words sum =
        reinterpret_cast<Words>(reinterpret_cast<Floats>(size) + reinterpret_cast<Floats>(power));
    Words code = (sum - power) + ((exponent - kLeastNormal) >> 20);
    code = smaller(code, Words{} + (kLargest + 1));
    const Words sign = bits >> 24 & 0x80u;
    // Negative zero and the NaN of fnuz have no sign.
    const Words with_sign = kFnuz ? choose((code & 0x7fu) == 0u, code, code | sign) : code | sign;
    return __builtin_convertvector(with_sign, Bytes);
  }
};
using E4m3 = Fp8<7, 0x7e>;
using E4m3Fnuz = Fp8<8, 0x7f>;

/// From a row of which `left` numbers are left.
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

/// A whole vector, known when compiled.
struct Whole {
  operator std::int64_t() const { return kLanes; }  // NOLINT: stands for a number
};
template <class Number>
TACTUS_INLINE Floats take(const typename Number::Stored* from, Whole) {
  return Number::load(from);
}

/// body(i, left) for each vector of a row: `left` is Whole{} for all but a rest.
template <class Body>
TACTUS_INLINE void each_vector(std::int64_t count, const Body& body) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) body(i, Whole{});
  if (i < count) body(i, count - i);
}

/// So that it is in the cache when it is needed.
template <class T>
TACTUS_INLINE void fetch(const T* at) {
  __builtin_prefetch(at);
}

/// Writes an output: past the caches where it is large and rows are aligned.
template <class Number>
struct Writer {
  bool once = false;

  Writer(std::int64_t elements, std::int64_t row_elements) {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(typename Number::Stored));
    constexpr std::int64_t kLargeBytes = std::int64_t{4} << 20;
    once = elements * kSize >= kLargeBytes && row_elements * kSize % 64 == 0;
  }
  TACTUS_INLINE void put(typename Number::Stored* to, Floats value, std::int64_t left) const {
    if (once) {
      store_once(to, Number::encoded(value));
    } else {
      TACTUS_ISA::put<Number>(to, value, left);
    }
  }
  TACTUS_INLINE void put(typename Number::Stored* to, Floats value, Whole) const {
    if (once) {
      store_once(to, Number::encoded(value));
    } else {
      store(to, Number::encoded(value));
    }
  }
  TACTUS_INLINE void finish() const {
    if (once) finish_stores();
  }
};

/// body(Number{}) for a type that is added and multiplied; 1 for others.
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
