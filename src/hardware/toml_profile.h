#pragma once

#include <string_view>

// The words of a hardware profile's TOML form, for its reader and its writer.
namespace tactus::toml_profile {

inline constexpr std::string_view kFlops = "flops";
inline constexpr std::string_view kBytesPerSecond = "bytes_per_s";
inline constexpr std::string_view kBytes = "bytes";
inline constexpr std::string_view kNanoseconds = "ns";

}  // namespace tactus::toml_profile
