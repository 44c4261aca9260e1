#include "views/common/numbers.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace tactus {

std::string format_duration(std::int64_t ns) {
  const std::uint64_t size =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  if (size < 1000) return fmt::format("{} ns", ns);
  struct Unit {
    std::uint64_t ns;
    std::string_view name;
  };
  static constexpr std::array<Unit, 3> kUnits = {
      {{1'000, "\u03BCs"}, {1'000'000, "ms"}, {1'000'000'000, "s"}}};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && size >= kUnits[unit + 1].ns) ++unit;
  // Rounded to three decimals in whole numbers, halves upward.
  const std::uint64_t step = kUnits[unit].ns / 1000;
  const std::uint64_t thousandths = (size + step / 2) / step;
  return fmt::format("{}{}.{:03} {}", ns < 0 ? "-" : "", thousandths / 1000, thousandths % 1000,
                     kUnits[unit].name);
}

std::string format_duration_of(double ns) {
  if (std::abs(ns) >= 100) return format_duration(std::llround(ns));
  return fmt::format("{:.3g} ns", ns);
}

std::string percent_text(double share) {
  return fmt::format("{:.1f}%", 100 * share);
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1000 && unit + 1 < kUnits.size()) {
    size /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes);
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

bool parse_duration(const std::string& text, std::int64_t& ns) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  double factor = 1;
  if (unit == "us" || unit == "\u03BCs" || unit == "\u00B5s") {
    factor = 1e3;
  } else if (unit == "ms") {
    factor = 1e6;
  } else if (unit == "s") {
    factor = 1e9;
  } else if (!unit.empty() && unit != "ns") {
    return false;
  }
  if (!(std::abs(number * factor) < 9e18)) return false;
  ns = std::llround(number * factor);
  return true;
}

}  // namespace tactus
