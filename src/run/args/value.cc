#include "run/args/value.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace tactus {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// -?digits[.digits][e[+-]digits], which is what JSON allows (leading zeros are let through).
bool is_number(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t first = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > first;
  };
  if (i < text.size() && text[i] == '-') ++i;
  if (!digits()) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

}  // namespace

std::int64_t Decimal::from_text(std::string_view text, StringPool& strings) {
  // -?digits[.digits] without any loss; all other forms are read below.
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  std::int64_t mantissa = 0;
  std::size_t point = digits.size();
  std::size_t i = 0;
  for (; i < digits.size(); ++i) {
    if (is_digit(digits[i])) {
      if (mantissa > (kLargestMantissa - 9) / 10) break;
      mantissa = mantissa * 10 + (digits[i] - '0');
    } else if (digits[i] == '.' && point == digits.size()) {
      point = i;
    } else {
      break;
    }
  }
  const std::size_t decimals = point == digits.size() ? 0 : digits.size() - point - 1;
  const bool no_part_missing = point > 0 && point + 1 != digits.size();
  const bool leading_zero = point > 1 && digits.front() == '0';
  if (i == digits.size() && no_part_missing && !leading_zero && decimals <= kLargestScale &&
      !(negative && mantissa == 0)) {
    return pack(negative ? -mantissa : mantissa, static_cast<int>(decimals));
  }
  return is_number(text) ? pack(strings.intern(text).value, kTextScale) : unknown();
}

std::int64_t Decimal::from_double(double value, StringPool& strings) {
  if (!std::isfinite(value)) return unknown();
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
  if (end == buffer || end - buffer > 24) {
    end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  }
  return from_text({buffer, static_cast<std::size_t>(end - buffer)}, strings);
}

double Decimal::to_double(std::int64_t raw, const StringPool& strings) {
  if (scale(raw) == kUnknownScale) return std::numeric_limits<double>::quiet_NaN();
  if (scale(raw) <= 22 && std::abs(mantissa(raw)) < (std::int64_t{1} << 53)) {
    // Both operands are exact, so one division rounds correctly.
    static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return static_cast<double>(mantissa(raw)) / kPowers[scale(raw)];
  }
  const std::string text = to_text(raw, strings);
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string Decimal::to_text(std::int64_t raw, const StringPool& strings) {
  const int decimals = scale(raw);
  const std::int64_t whole = mantissa(raw);
  if (decimals == kUnknownScale) return {};
  if (decimals == kTextScale) {
    return std::string(strings[StringId(static_cast<std::uint64_t>(whole))]);
  }
  const std::string digits = std::to_string(whole < 0 ? -whole : whole);
  const auto places = static_cast<std::size_t>(decimals);
  std::string text;
  if (whole < 0) text.push_back('-');
  if (places == 0) return text.append(digits);
  if (digits.size() <= places) {
    text.append("0.").append(places - digits.size(), '0').append(digits);
  } else {
    text.append(digits, 0, digits.size() - places).push_back('.');
    text.append(digits, digits.size() - places);
  }
  return text;
}

}  // namespace tactus
