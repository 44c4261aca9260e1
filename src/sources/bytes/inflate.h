#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tactus {

/// The text of a whole zlib stream in memory; nothing if it is damaged or larger than `limit`.
std::optional<std::string> inflate_zlib(std::string_view compressed, std::size_t limit);

}  // namespace tactus
