#pragma once

#include <cstdint>

#include "catalogue/number_type.h"

namespace tactus {

// Conversion between numbers and their bits. Rounding is to the nearest, ties to even, from the
// double itself: going through fp32 first could round twice.

double from_bits(NumberType type, std::uint64_t bits);

/// Values out of range become infinity, or NaN if the format has no infinity (fp8).
std::uint64_t to_bits(NumberType type, double value);

/// The value rounded to the format and back.
double rounded(NumberType type, double value);

/// The distance from |value| to the next larger number of the format.
double spacing(NumberType type, double value);

/// The largest finite number: 448 for fp8_e4m3, 240 for fp8_e4m3fnuz.
double largest(NumberType type);

inline float bf16_to_float(std::uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
}

inline std::uint16_t float_to_bf16(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace tactus
