#include "http/headers.h"

#include <algorithm>
#include <charconv>

namespace tactus::http {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

std::optional<Header> read_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return std::nullopt;
  const std::string_view value = trimmed(line.substr(colon + 1));
  for (const char c : value) {
    if ((c >= 0 && c < ' ' && c != '\t') || c == 0x7f) return std::nullopt;
  }
  return Header{lower(line.substr(0, colon)), value};
}

std::optional<std::uint64_t> read_length(std::string_view value) {
  std::uint64_t bytes = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, bytes);
  if (error != std::errc() || stop != end || value.empty()) return std::nullopt;
  return bytes;
}

}  // namespace tactus::http
