#pragma once

#include <cstdint>

namespace tactus {

/// Times in a damaged file may overflow; then they wrap. Undefined behaviour is not possible.
constexpr std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

constexpr std::int64_t wrapping_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// A number of any size as a whole one: the nearest that there is, 0 for not-a-number.
constexpr std::int64_t whole_number(double value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (value >= kEnd) return INT64_MAX;
  if (value < -kEnd) return INT64_MIN;
  return value == value ? static_cast<std::int64_t>(value) : 0;
}

}  // namespace tactus
