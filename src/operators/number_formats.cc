#include "operators/number_formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace tactus {
namespace {

/// A binary floating-point format of at most 32 bits.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool infinities;  ///< the top exponent is infinity and NaN
  bool fnuz;        ///< no negative zero; its bits are the only NaN
};

constexpr Format format_of(NumberType type) {
  switch (type) {
    case NumberType::kFp32:
    case NumberType::kTf32: return {8, 23, 127, true, false};
    case NumberType::kBf16: return {8, 7, 127, true, false};
    case NumberType::kFp16: return {5, 10, 15, true, false};
    case NumberType::kFp8E4m3: return {4, 3, 7, false, false};
    case NumberType::kFp8E4m3Fnuz: return {4, 3, 8, false, true};
    case NumberType::kFp8E5m2: return {5, 2, 15, true, false};
    default: break;
  }
  CHECK(false);
  return {};
}

/// 2 to an exponent that a normal double can have.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

constexpr double largest_of(const Format& format) {
  const int exponent = (1 << format.exponent_bits) - 1 - format.bias - (format.infinities ? 1 : 0);
  double mantissa = 2 - power_of_two(-format.mantissa_bits);
  // e4m3 uses the whole top exponent except the last code, which is NaN.
  if (!format.infinities && !format.fnuz) mantissa -= power_of_two(-format.mantissa_bits);
  return mantissa * power_of_two(exponent);
}

/// Subnormals share the smallest exponent. (A subnormal double is below all formats here.)
int exponent_at(const Format& format, double magnitude) {
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023;
  return std::max(exponent, 1 - format.bias);
}

/// To the nearest number of the format, ties to even, for magnitudes below twice the largest.
double nearest_to(const Format& format, double magnitude, int exponent) {
  // Doubles around this have the format's last place as their own, so the sum rounds to it.
  const double rounder = 0x1.8p52 * power_of_two(exponent - format.mantissa_bits);
  return (magnitude + rounder) - rounder;
}

/// |value| as a whole number of steps of the format at its size, ties to even.
struct Steps {
  int exponent = 0;  ///< of the number: a step is 2^(exponent - mantissa_bits)
  double count = 0;
  bool overflows = false;
};

Steps steps_of(const Format& format, double magnitude) {
  Steps steps;
  const double most = largest_of(format);
  if (!(magnitude < 2 * most)) {
    steps.overflows = true;
    return steps;
  }
  steps.exponent = exponent_at(format, magnitude);
  const double nearest = nearest_to(format, magnitude, steps.exponent);
  steps.overflows = nearest > most;
  steps.count = nearest * power_of_two(format.mantissa_bits - steps.exponent);
  return steps;
}

std::uint64_t nan_bits(const Format& format) {
  if (format.fnuz) return 1ull << (format.exponent_bits + format.mantissa_bits);
  return (1ull << (format.exponent_bits + format.mantissa_bits)) - 1;
}

double decode(const Format& format, std::uint64_t bits) {
  const int width = format.exponent_bits + format.mantissa_bits;
  const bool negative = bits >> width & 1;
  const std::uint64_t code = bits & ((1ull << width) - 1);
  const int exponent = static_cast<int>(code >> format.mantissa_bits);
  const auto mantissa = static_cast<double>(code & ((1ull << format.mantissa_bits) - 1));
  const int top = (1 << format.exponent_bits) - 1;
  if (format.fnuz && negative && code == 0) return std::numeric_limits<double>::quiet_NaN();
  if (format.infinities && exponent == top) {
    if (mantissa != 0) return std::numeric_limits<double>::quiet_NaN();
    return negative ? -HUGE_VAL : HUGE_VAL;
  }
  if (!format.infinities && !format.fnuz && code == (1ull << width) - 1) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double magnitude = exponent == 0
                               ? mantissa * power_of_two(1 - format.bias - format.mantissa_bits)
                               : (mantissa + static_cast<double>(1ull << format.mantissa_bits)) *
                                     power_of_two(exponent - format.bias - format.mantissa_bits);
  return negative ? -magnitude : magnitude;
}

std::uint64_t encode(const Format& format, double value) {
  const int width = format.exponent_bits + format.mantissa_bits;
  const std::uint64_t sign = std::signbit(value) ? 1ull << width : 0;
  if (std::isnan(value)) return nan_bits(format);
  const Steps steps = steps_of(format, std::fabs(value));
  if (steps.overflows) {
    if (!format.infinities) return nan_bits(format);
    return sign | static_cast<std::uint64_t>((1 << format.exponent_bits) - 1)
                      << format.mantissa_bits;
  }
  if (steps.count == 0) return format.fnuz ? 0 : sign;
  // A mantissa that rounds up to the next power of two carries into the exponent automatically.
  const auto hidden = static_cast<double>(1ull << format.mantissa_bits);
  std::uint64_t code = 0;
  if (steps.count < hidden) {
    code = static_cast<std::uint64_t>(steps.count);
  } else {
    code = (static_cast<std::uint64_t>(steps.exponent + format.bias) << format.mantissa_bits) +
           static_cast<std::uint64_t>(steps.count - hidden);
  }
  return sign | code;
}

/// decode(encode(value)) in one step, for formats with a negative zero.
template <NumberType type>
double rounded_to(double value) {
  constexpr Format kFormat = format_of(type);
  constexpr double kMost = largest_of(kFormat);
  const double magnitude = std::fabs(value);
  const double nearest = nearest_to(kFormat, magnitude, exponent_at(kFormat, magnitude));
  if (magnitude < 2 * kMost && nearest <= kMost) return std::copysign(nearest, value);
  return decode(kFormat, encode(kFormat, value));
}

}  // namespace

double from_bits(NumberType type, std::uint64_t bits) {
  switch (type) {
    case NumberType::kFp64: return std::bit_cast<double>(bits);
    case NumberType::kFp32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case NumberType::kInt64: return static_cast<double>(static_cast<std::int64_t>(bits));
    case NumberType::kInt32: return static_cast<std::int32_t>(bits);
    case NumberType::kInt16: return static_cast<std::int16_t>(bits);
    case NumberType::kInt8: return static_cast<std::int8_t>(bits);
    case NumberType::kBool: return bits != 0;
    default: return decode(format_of(type), bits);
  }
}

std::uint64_t to_bits(NumberType type, double value) {
  switch (type) {
    case NumberType::kFp64: return std::bit_cast<std::uint64_t>(value);
    case NumberType::kFp32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case NumberType::kInt64:
    case NumberType::kInt32:
    case NumberType::kInt16:
    case NumberType::kInt8: return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    case NumberType::kBool: return value != 0;
    default: return encode(format_of(type), value);
  }
}

double rounded(NumberType type, double value) {
  switch (type) {
    case NumberType::kBf16: return rounded_to<NumberType::kBf16>(value);
    case NumberType::kFp16: return rounded_to<NumberType::kFp16>(value);
    case NumberType::kFp8E4m3: return rounded_to<NumberType::kFp8E4m3>(value);
    default: return from_bits(type, to_bits(type, value));
  }
}

double spacing(NumberType type, double value) {
  if (is_integer(type)) return 1;
  const double magnitude = std::fabs(value);
  if (type == NumberType::kFp64) {
    return std::nextafter(magnitude, HUGE_VAL) - magnitude;
  }
  const Format format = format_of(type);
  return power_of_two(exponent_at(format, magnitude) - format.mantissa_bits);
}

double largest(NumberType type) {
  switch (type) {
    case NumberType::kFp64: return std::numeric_limits<double>::max();
    case NumberType::kInt64: return 9223372036854775807.0;
    case NumberType::kInt32: return 2147483647;
    case NumberType::kInt16: return 32767;
    case NumberType::kInt8: return 127;
    case NumberType::kBool: return 1;
    default: return largest_of(format_of(type));
  }
}

}  // namespace tactus
