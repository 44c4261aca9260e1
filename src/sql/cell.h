#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus::sql {

/// One value of a table as SQLite knows values.
struct Cell {
  enum class Type : std::uint8_t { kNull, kInteger, kReal, kText };

  Type type = Type::kNull;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;  ///< lives as long as the run, or as the buffer that it was written to

  static Cell null() { return {}; }
  static Cell number(std::int64_t value) { return {.type = Type::kInteger, .integer = value}; }
  static Cell number(const std::optional<std::int64_t>& value) {
    return value ? number(*value) : null();
  }
  static Cell real_number(double value) { return {.type = Type::kReal, .real = value}; }
  static Cell words(std::string_view text) { return {.type = Type::kText, .text = text}; }
  /// Empty texts mean "unknown" in a Run.
  static Cell words_or_null(std::string_view text) { return text.empty() ? null() : words(text); }
};

}  // namespace tactus::sql
