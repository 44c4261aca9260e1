#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "run/strings.h"

namespace tactus {

/// How to read the 64-bit raw value of an argument.
enum class ValueType : std::uint8_t {
  kInt,      ///< the number itself
  kDecimal,  ///< see Decimal
  kText,     ///< a StringId
  kJson,     ///< a StringId of an array or object as JSON without white space
  kBool,     ///< 0 or 1
  kNull,     ///< always 0
  kStack,    ///< a StackId
};
inline constexpr int kValueTypes = 7;

/// A number with a fraction, kept as it was written: mantissa * 32 + number of decimals, so 0.10 is
/// 10 * 32 + 2. Two scales are reserved for numbers that do not fit: kTextScale (the mantissa is
/// the StringId of the number's text) and kUnknownScale (no number was given).
struct Decimal {
  static constexpr int kTextScale = 31;
  static constexpr int kUnknownScale = 30;
  static constexpr int kLargestScale = 29;
  static constexpr std::int64_t kLargestMantissa = (std::int64_t{1} << 58) - 1;

  static constexpr std::int64_t unknown() { return kUnknownScale; }
  static constexpr std::int64_t pack(std::int64_t mantissa, int scale) {
    return mantissa * 32 + scale;
  }
  static constexpr std::int64_t mantissa(std::int64_t raw) { return raw >> 5; }
  static constexpr int scale(std::int64_t raw) { return static_cast<int>(raw & 31); }

  /// Reads a JSON number; any other text becomes unknown().
  static std::int64_t from_text(std::string_view text, StringPool& strings);
  /// The shortest decimal that reads back as `value`; not-a-number and infinities are unknown().
  static std::int64_t from_double(double value, StringPool& strings);

  /// Not-a-number if the number is unknown.
  static double to_double(std::int64_t raw, const StringPool& strings);
  /// As it was written; empty if the number is unknown.
  static std::string to_text(std::int64_t raw, const StringPool& strings);
};

}  // namespace tactus
