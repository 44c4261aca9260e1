#include "base/number_text.h"

#include <charconv>
#include <cmath>

#include "base/check.h"

namespace tactus {
namespace {

/// Reports hold thousands of numbers; this is several times as fast as a format string.
void append(double value, std::chars_format format, int precision, std::string& out) {
  char text[512];  // the largest double has 309 digits in front of the point
  const auto [end, error] = std::to_chars(text, text + sizeof text, value, format, precision);
  CHECK(error == std::errc());
  out.append(text, end);
}

}  // namespace

void append_fixed(double value, int decimals, std::string& out) {
  append(value, std::chars_format::fixed, decimals, out);
}

void append_signed(double value, int decimals, std::string& out) {
  if (!std::signbit(value)) out.push_back('+');
  append_fixed(value, decimals, out);
}

void append_short(double value, std::string& out) {
  append(value, std::chars_format::general, 6, out);
}

}  // namespace tactus
