#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tactus {

/// 19493 as "19,493"; what is below 0 counts as 0.
std::string format_count(std::uint64_t count);
template <std::signed_integral T>
std::string format_count(T count) {
  return format_count(static_cast<std::uint64_t>(count < 0 ? 0 : count));
}

/// "1 pass", "19,493 passes"; what is below 0 counts as 0.
std::string count_of(std::int64_t count, std::string_view one, std::string_view many);

/// Appends a number with that many decimals: 1234.50. Infinities are "inf", what is none "nan".
void append_fixed(double value, int decimals, std::string& out);

/// The same with a sign in any case: +0.25.
void append_signed(double value, int decimals, std::string& out);

/// Six significant digits, as short as they can be written: 2.36, 92878.5, 2.47865e+13.
void append_short(double value, std::string& out);

/// A finite number that is the whole text: 5, -1.5, 2e9. Nothing for nan, inf, 1e999, a number with
/// anything beside it, and an empty text.
std::optional<double> finite_number(std::string_view text);

/// A cell of a CSV file: quoted if it has to be.
std::string csv_cell(std::string_view text);

/// The word with the fewest typing errors to `typed`, for "did you mean"; empty if none is near.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> words);

}  // namespace tactus
