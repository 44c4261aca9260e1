#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tactus {

/// 19493 as "19,493".
std::string format_count(std::uint64_t count);

/// "1 pass", "19,493 passes"; numbers below 0 count as 0.
std::string count_of(std::int64_t count, std::string_view one, std::string_view many);

}  // namespace tactus
