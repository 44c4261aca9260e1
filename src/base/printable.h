#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// True for characters that control a terminal, end a line or change the direction of the text
/// around them: ESC, U+0085, U+202E and the like.
bool is_control_character(unsigned code);

/// Makes control characters visible ("\x1b", "\u202e"), so that a name cannot control the terminal,
/// break a row or pose as another name. Bytes that are not UTF-8 are shown in the same way.
std::string printable(std::string_view text);

/// The lines of a message, each of them printable. Tabs become blanks; blank lines at the end are
/// left out.
std::vector<std::string> printable_lines(std::string_view text);

/// The same JSON with the control characters that JSON itself allows written as \u202e, and bytes
/// that are not UTF-8 as \ufffd.
std::string escaped_json(std::string json);

}  // namespace tactus
