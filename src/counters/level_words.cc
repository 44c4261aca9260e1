#include "counters/level_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tactus {
namespace {

std::string byte_words(double bytes, std::string_view behind) {
  static constexpr std::array<std::string_view, 6> kUnits = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}{}", bytes, kUnits[unit], behind);
}

}  // namespace

std::string level_words(double value, std::string_view unit) {
  if (unit == "bytes") return byte_words(value, "");
  if (unit == "bytes/s") return byte_words(value, "/s");
  if (unit == "%") return fmt::format("{:.3g}%", value);
  if (unit == "us/s") return fmt::format("{:.3g}%", value / 1e4);  // a share of the time
  return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string move_words(bool rose, double from, double to, std::string_view unit,
                       std::string_view how) {
  return fmt::format("{}{} from {} to {}", rose ? "rose" : "fell", how, level_words(from, unit),
                     level_words(to, unit));
}

}  // namespace tactus
