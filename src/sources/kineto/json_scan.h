#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::kineto {

/// Scanned text is followed by this many zero bytes, so wide loads and look-ahead need no checks. A
/// zero byte is not white space, not a digit and not a bracket.
inline constexpr std::size_t kPadding = 64;

inline bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The end of white space that may be very long.
const char* skip_long_space(const char* p);

inline const char* skip_space(const char* p) {
  constexpr int kIndentation = 32;  // that indented text seldom exceeds
  for (const char* const far = p + kIndentation; p < far; ++p) {
    if (!is_space(*p)) return p;
  }
  return skip_long_space(p);
}

/// Whether two pieces of text are the same. Both may be read up to 16 bytes past their end.
inline bool same_text(const char* a, const char* b, std::size_t size) {
  const auto load = [](const char* p) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, sizeof bytes);
    return bytes;
  };
  while (size > 16) {
    if (((load(a) ^ load(b)) | (load(a + 8) ^ load(b + 8))) != 0) return false;
    a += 16;
    b += 16;
    size -= 16;
  }
  if (size > 8) {
    return ((load(a) ^ load(b)) | (load(a + size - 8) ^ load(b + size - 8))) == 0;
  }
  return size == 0 || (load(a) ^ load(b)) << (64 - 8 * size) == 0;
}

/// The closing quote of the string whose first character is at p; null if it is past `end`.
const char* find_string_end(const char* p, const char* end);

/// One past the value that starts at p: a string, an array or object (found by counting brackets;
/// its contents are not checked), or a run of other characters up to white space, a comma or a
/// bracket. Null if the value continues past `end`.
const char* skip_value(const char* p, const char* end);

// The readers below return one past what they read. They return null if there is no such value in
// its plain form: as JSON writes it, without exponent, within range, and not "-0".

/// -?digits
const char* read_int(const char* p, std::int64_t& value);
/// -?digits.digits as a Decimal
const char* read_decimal(const char* p, std::int64_t& value);
/// Microseconds, with or without a fraction, as whole nanoseconds (rounded).
const char* read_time(const char* p, std::int64_t& time_ns);

/// Any JSON number of microseconds (with exponent, more digits) in whole nanoseconds; nothing if it
/// is not a number or out of range.
std::optional<std::int64_t> time_from_text(std::string_view number);

/// The text that a JSON string means: escapes resolved, bytes that are not UTF-8 replaced by
/// U+FFFD. `repaired` is set if something was replaced.
std::string unescape(std::string_view raw, bool& repaired);

/// An array or object without white space; nothing if it is not valid JSON.
std::optional<std::string> compact_json(std::string_view raw);

}  // namespace tactus::kineto
