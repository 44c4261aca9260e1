#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tactus {

/// Text in lines of at most `width` characters (0 for a readable width), behind a head that takes
/// the first `head_width` columns; further lines are indented as much.
std::string paragraph(std::string_view head, std::string_view text, std::size_t width,
                      std::size_t head_width);

}  // namespace tactus
