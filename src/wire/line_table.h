// The tables in which code objects of Python keep their lines.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::wire {

/// 3.10 (PEP 626): pairs of bytes, "so many bytes of code" and "so many lines further"; -128: no
/// line.
inline std::int32_t line_of_pairs(const unsigned char* table, std::size_t size, std::int32_t first,
                                  std::int32_t offset) {
  std::int32_t line = first;
  std::int64_t end = 0;
  for (std::size_t i = 0; i + 1 < size; i += 2) {
    const auto step = static_cast<signed char>(table[i + 1]);
    if (step != -128) line = static_cast<std::int32_t>(std::int64_t{line} + step);
    end += table[i];
    if (offset < end) return step == -128 ? 0 : line;
  }
  return 0;
}

/// A number of 6 bits per byte, the lowest first; bit 6: more follow. Moves `at` behind it.
inline std::uint32_t read_varint(const unsigned char* table, std::size_t size, std::size_t& at) {
  std::uint32_t value = 0;
  for (unsigned shift = 0; at < size && shift < 32; shift += 6) {
    const unsigned char byte = table[at++];
    value |= (byte & 63u) << shift;
    if ((byte & 64u) == 0) break;
  }
  return value;
}

/// 3.11 to 3.13: entries of 1 byte with bit 7 set (what follows: 4 bits; length in units of 2
/// bytes: 3 bits), and what follows.
inline std::int32_t line_of_locations(const unsigned char* table, std::size_t size,
                                      std::int32_t first, std::int32_t offset) {
  constexpr unsigned kNoLine = 15, kLong = 14, kNoColumns = 13, kOneLine = 10;
  std::int64_t line = first;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < size;) {
    const unsigned code = table[i] >> 3 & 15u;
    end += ((table[i] & 7) + 1) * 2;
    ++i;
    if (code == kLong || code == kNoColumns) {
      const std::uint32_t value = read_varint(table, size, i);
      const auto step = static_cast<std::int64_t>(value >> 1);
      line += (value & 1) != 0 ? -step : step;
    } else if (code >= kOneLine && code < kNoColumns) {
      line += code - kOneLine;
    }
    if (offset < end) {
      return code == kNoLine || line <= 0 || line > INT32_MAX ? 0 : static_cast<std::int32_t>(line);
    }
    while (i < size && (table[i] & 128u) == 0) ++i;
  }
  return 0;
}

}  // namespace tactus::wire
