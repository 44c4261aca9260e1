#pragma once

#include <string>
#include <string_view>

namespace tactus::page {

/// Bytes as text that a script element can hold: 93 characters of ASCII, all that can be seen but
/// `<`, so that neither the HTML around it nor its charset matters. Two characters hold 13 bits, or
/// 14 where these make a small number; 1.23 characters per byte (base64: 1.33). The reader has to
/// know how many bytes there are (ui/src/data/packed.ts).
std::string packed_text(std::string_view bytes);

}  // namespace tactus::page
