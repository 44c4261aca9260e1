#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tactus::http {

/// In small letters, ASCII only.
std::string lower(std::string_view text);
/// Without blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);
/// A word of the protocol: a method, the name of a header.
bool is_token(std::string_view text);

/// A line of a head: "Content-Length: 12". The name is in small letters.
struct Header {
  std::string name;
  std::string_view value;
};
/// Nothing if the line is none, or has a control character.
std::optional<Header> read_header(std::string_view line);

/// The number of bytes in a Content-Length; nothing if it is not one.
std::optional<std::uint64_t> read_length(std::string_view value);

}  // namespace tactus::http
