#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tactus {

/// Text in lines of at most `width` characters (0 for a readable width), after a heading in the
/// first `head_width` columns; further lines are indented by the same amount.
std::string paragraph(std::string_view head, std::string_view text, std::size_t width,
                      std::size_t head_width);

}  // namespace tactus
