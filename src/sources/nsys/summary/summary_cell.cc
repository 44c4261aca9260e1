#include "sources/nsys/summary/summary_cell.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "run/builder.h"
#include "sources/text/number.h"

namespace tactus::nsys {
namespace {

struct Unit {
  std::string_view text;
  int power_of_ten;  ///< [ns]
};

constexpr Unit kUnits[] = {
    {"ns", 0},      {"us", 3}, {"\u03BCs", 3},  // Greek mu, as the GUI writes it
    {"\u00B5s", 3},                             // the micro sign
    {"ms", 6},      {"s", 9},
};

std::optional<int> power_of_unit(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (unit.text == text) return unit.power_of_ten;
  }
  return std::nullopt;
}

std::string without_thousands_separators(std::string_view number) {
  std::string digits(number);
  std::erase(digits, ',');
  return digits;
}

std::int64_t power_of_ten(int exponent) {
  std::int64_t value = 1;
  for (int i = 0; i < exponent; ++i) value *= 10;
  return value;
}

}  // namespace

bool is_time_unit(std::string_view text) {
  return power_of_unit(text).has_value();
}

std::optional<std::array<std::int64_t, 3>> read_dimensions(std::string_view cell) {
  constexpr std::string_view kBetween = " \t,()[]x";
  std::array<std::int64_t, 3> dimensions{};
  for (std::int64_t& dimension : dimensions) {
    cell.remove_prefix(std::min(cell.find_first_not_of(kBetween), cell.size()));
    const std::size_t length = std::min(cell.find_first_of(kBetween), cell.size());
    const std::optional<std::int64_t> number = read_whole(cell.substr(0, length));
    if (!number || *number < 0) return std::nullopt;
    dimension = *number;
    cell.remove_prefix(length);
  }
  if (cell.find_first_not_of(kBetween) != std::string_view::npos) return std::nullopt;
  return dimensions;
}

std::optional<ShareCell> read_share(std::string_view cell) {
  cell = trim(cell);
  if (cell.ends_with('%')) cell = trim(cell.substr(0, cell.size() - 1));
  const std::size_t blank = cell.find_last_of(" \t");
  const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view number = cell.substr(begin);
  if (number.empty() || number.front() < '0' || number.front() > '9') return std::nullopt;

  ShareCell share;
  const char* end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, share.percent, std::chars_format::fixed);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  share.typed_in_front = trim(cell.substr(0, begin));
  return share;
}

std::optional<TimeCell> read_time(std::string_view cell, std::string_view heading_unit) {
  cell = trim(cell);
  const std::size_t length = std::min(cell.find_first_not_of("0123456789.,"), cell.size());
  const std::string digits = without_thousands_separators(cell.substr(0, length));
  const std::string_view unit = trim(cell.substr(length));
  if (!read_scaled(digits, 0)) return std::nullopt;

  const std::optional<int> power = power_of_unit(unit.empty() ? heading_unit : unit);
  if (!power) return TimeCell{.ns = 0, .resolution_ns = 1, .unknown_unit = true};
  const std::optional<WholeNumber> time = read_scaled(digits, *power);
  if (!time || time->cut > kLatestTime) return std::nullopt;
  const std::size_t point = digits.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : digits.size() - point - 1;
  const int places = static_cast<int>(std::min<std::size_t>(decimals, 9));
  return TimeCell{.ns = time->cut,
                  .resolution_ns = power_of_ten(std::max(*power - places, 0)),
                  .unknown_unit = false};
}

std::optional<std::int64_t> read_count(std::string_view cell) {
  const std::optional<std::int64_t> count = read_whole(without_thousands_separators(trim(cell)));
  if (!count || *count < 0) return std::nullopt;
  return count;
}

}  // namespace tactus::nsys
