#include "base/printable.h"

#include <algorithm>

#include "base/utf8.h"

namespace tactus {
namespace {

/// The code of a valid UTF-8 sequence of that length.
unsigned code_of(std::string_view text, std::size_t length) {
  constexpr unsigned kLeadBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  unsigned code = static_cast<unsigned char>(text[0]) & kLeadBits[length];
  for (std::size_t i = 1; i < length; ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return code;
}

void append_hex(unsigned code, int digits, std::string& out) {
  for (int i = digits - 1; i >= 0; --i) out.push_back("0123456789abcdef"[code >> (4 * i) & 15]);
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

bool is_control_character(unsigned code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string printable(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out;
  out.reserve(text.size() + 8);
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const unsigned code = length == 0 ? static_cast<unsigned char>(text[0]) : code_of(text, length);
    if (length != 0 && !is_control_character(code)) {
      out.append(text.substr(0, length));
    } else {
      const bool is_byte = length <= 1;
      out += is_byte ? "\\x" : "\\u";
      append_hex(code, is_byte ? 2 : 4, out);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::vector<std::string> printable_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::string untabbed;
    for (const char c : line) untabbed.append(c == '\t' ? "    " : std::string_view(&c, 1));
    lines.push_back(printable(untabbed));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string escaped_json(std::string json) {
  if (is_plain(json)) return json;
  std::string out;
  out.reserve(json.size() + 8);
  for (std::string_view rest = json; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    const unsigned code = length == 0 ? kReplacementCharacter : code_of(rest, length);
    const bool needs_escape = length == 0 || (code >= 0x7F && is_control_character(code));
    if (needs_escape) {
      out += "\\u";
      append_hex(code, 4, out);
    } else {
      out.append(rest.substr(0, length));
    }
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace tactus
