#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tactus {

/// Replaces bytes that could not be read.
inline constexpr unsigned kReplacementCharacter = 0xFFFD;

/// Length of the UTF-8 sequence at the front of a text, 0 if there is no valid one.
std::size_t utf8_length(std::string_view text);

/// Characters of a UTF-8 text, counted as one column each.
std::size_t text_width(std::string_view text);

void append_utf8(std::string& out, unsigned code);

/// True if all bytes are ASCII, as in nearly all texts.
bool is_ascii(std::string_view text);

/// The text with every byte that is not UTF-8 replaced; `repaired` is set if there was one.
std::string to_valid_utf8(std::string_view text, bool& repaired);

}  // namespace tactus
