#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tactus {

/// 19493 as "19,493"; what is below 0 counts as 0.
std::string format_count(std::uint64_t count);
std::string format_count(std::int64_t count);

/// "1 pass", "19,493 passes"; what is below 0 counts as 0.
std::string count_of(std::int64_t count, std::string_view one, std::string_view many);

}  // namespace tactus
