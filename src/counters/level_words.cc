#include "counters/level_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tactus {
namespace {

constexpr double kAlike = 1.1;  // between the ratio of samples and that of medians

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
  return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string move_words(double ratio, double from, double to, std::string_view unit,
                       std::string_view how) {
  std::string words = ratio >= 1 ? "rose" : "fell";
  words += how;
  const double apart = from > 0 && to > 0 ? std::abs(std::log(to / from / ratio)) : INFINITY;
  if (apart < std::log(kAlike)) {
    words += fmt::format(" by a factor of {:.3g},", ratio >= 1 ? ratio : 1 / ratio);
  }
  return words + fmt::format(" from {} to {}", level_words(from, unit), level_words(to, unit));
}

}  // namespace tactus
