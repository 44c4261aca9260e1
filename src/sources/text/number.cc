#include "sources/text/number.h"

#include <algorithm>
#include <limits>

namespace tactus {
namespace {

/// Room is left for rounding up.
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max() - 1;
/// All exponents beyond this are the same: only 0 fits.
constexpr std::int64_t kLargestExponent = 100'000;

/// The parts of -12.50e3: 12, 50 and 3.
struct NumberParts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::int64_t exponent = 0;

  std::size_t digits() const { return whole.size() + fraction.size(); }
  int digit(std::size_t i) const {
    return (i < whole.size() ? whole[i] : fraction[i - whole.size()]) - '0';
  }
};

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool take_sign(std::string_view& text) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  return negative;
}

std::string_view take_digits(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= '0' && text[length] <= '9') ++length;
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

/// The number after the e; nothing if it is not a number.
std::optional<std::int64_t> read_exponent(std::string_view text) {
  const bool negative = take_sign(text);
  const std::string_view digits = take_digits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  std::int64_t exponent = 0;
  for (const char c : digits) exponent = std::min(exponent * 10 + (c - '0'), kLargestExponent);
  return negative ? -exponent : exponent;
}

std::optional<NumberParts> take_apart(std::string_view text) {
  NumberParts parts;
  parts.negative = take_sign(text);
  parts.whole = take_digits(text);
  if (take(text, '.')) parts.fraction = take_digits(text);
  if (parts.digits() == 0) return std::nullopt;
  if (take(text, 'e') || take(text, 'E')) {
    const std::optional<std::int64_t> exponent = read_exponent(text);
    if (!exponent) return std::nullopt;
    parts.exponent = *exponent;
  } else if (!text.empty()) {
    return std::nullopt;
  }
  return parts;
}

}  // namespace

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<WholeNumber> read_scaled(std::string_view text, int power_of_ten) {
  const std::optional<NumberParts> parts = take_apart(text);
  if (!parts) return std::nullopt;
  const auto digits = static_cast<std::int64_t>(parts->digits());
  // The digits in front of the point, once it is moved.
  const std::int64_t whole =
      static_cast<std::int64_t>(parts->whole.size()) + parts->exponent + power_of_ten;
  const auto digit = [&](std::int64_t i) {
    return i >= 0 && i < digits ? parts->digit(static_cast<std::size_t>(i)) : 0;
  };

  constexpr std::int64_t kAlwaysFit = std::numeric_limits<std::int64_t>::digits10;
  std::int64_t value = 0;
  for (std::int64_t i = 0; i < whole; ++i) {
    if (i >= digits && value == 0) break;
    if (i >= kAlwaysFit && value > (kLargest - digit(i)) / 10) return std::nullopt;
    value = value * 10 + digit(i);
  }
  WholeNumber number{.cut = value, .rounded = value + (digit(whole) >= 5 ? 1 : 0), .exact = true};
  for (std::int64_t i = std::max<std::int64_t>(whole, 0); i < digits; ++i) {
    number.exact = number.exact && digit(i) == 0;
  }
  if (parts->negative) {
    number.cut = -number.cut;
    number.rounded = -number.rounded;
  }
  return number;
}

std::optional<std::int64_t> read_whole(std::string_view text) {
  // Most numbers are plain and too short to overflow.
  if (!text.empty() && text.size() < std::numeric_limits<std::int64_t>::digits10) {
    std::int64_t value = 0;
    std::size_t i = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
      value = value * 10 + (text[i] - '0');
    }
    if (i == text.size()) return value;
  }
  const std::optional<WholeNumber> number = read_scaled(text, 0);
  if (!number || !number->exact) return std::nullopt;
  return number->cut;
}

}  // namespace tactus
