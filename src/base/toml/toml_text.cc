#include "base/toml/toml_text.h"

#include <optional>

#include "base/file.h"
#include "base/utf8.h"

namespace tactus {
namespace {

constexpr std::size_t kMostDotsInALine = 64;

/// toml++ makes a table for each dot of a key and destroys them by recursion.
std::optional<std::size_t> line_with_too_many_dots(std::string_view text) {
  std::size_t line = 1;
  std::size_t dots = 0;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      dots = 0;
    } else if (c == '.' && ++dots > kMostDotsInALine) {
      return line;
    }
  }
  return std::nullopt;
}

/// Writes every character beyond ASCII as TOML's escape for it: toml++ 3.3 reaches code that it
/// marks as unreachable if such a character is outside quotes. Inside quotes the escape means the
/// same, in a comment it means nothing, and elsewhere it is an error, as the character itself is.
/// Nothing if the text is not UTF-8.
std::optional<std::string> as_ascii(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return std::nullopt;
    if (length == 1) {
      out += text[0];
    } else {
      // The first byte has as many leading ones as there are bytes; the others hold six bits each.
      unsigned code = static_cast<unsigned char>(text[0]) & (0x7fU >> length);
      for (std::size_t i = 1; i < length; ++i) {
        code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
      }
      out += "\\U";
      for (int shift = 28; shift >= 0; shift -= 4) out += kHex[code >> shift & 15U];
    }
    text.remove_prefix(length);
  }
  return out;
}

Error too_large(std::string_view path, std::string_view kind) {
  return input_error(std::string(path) + ": larger than " + std::to_string(kMostTomlBytes >> 10U) +
                     " kB; " + std::string(kind) + " has a few kB");
}

}  // namespace

Result<toml::table> read_toml(std::string_view text, std::string_view path, std::string_view kind) {
  if (text.size() > kMostTomlBytes) return too_large(path, kind);
  if (const auto line = line_with_too_many_dots(text)) {
    return input_error(std::string(path) + ": line " + std::to_string(*line) +
                       ": nested too deeply for " + std::string(kind));
  }
  const std::optional<std::string> ascii = as_ascii(text);
  if (!ascii) return input_error(std::string(path) + ": not TOML: not UTF-8 text");
  toml::parse_result parsed = toml::parse(std::string_view(*ascii));
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return input_error(std::string(path) + ": line " + std::to_string(error.source().begin.line) +
                       ": not TOML: " + std::string(error.description()));
  }
  return std::move(parsed).table();
}

Result<std::string> read_toml_text(const std::string& path, std::string_view kind) {
  const Result<File> file = File::open_for_reading(path);
  if (!file) return file.error();
  std::string text(kMostTomlBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const Result<std::size_t> got = file->read(text.data() + size, text.size() - size, path);
    if (!got) return got.error();
    if (*got == 0) break;
    size += *got;
  }
  if (size > kMostTomlBytes) return too_large(path, kind);
  text.resize(size);
  return text;
}

}  // namespace tactus
