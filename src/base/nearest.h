#pragma once

#include <span>
#include <string_view>

namespace tactus {

/// The word nearest to `typed`, for "did you mean"; empty if none is near.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> words);

}  // namespace tactus
