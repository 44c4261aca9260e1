#pragma once

#include <cstddef>
#include <string_view>

// The words of a hardware profile's TOML form, for its reader and its writer.
namespace tactus::toml_profile {

/// Ours have about 2 kB. The limits keep a file that is not a profile from costing time or stack.
inline constexpr std::size_t kMaxBytes = std::size_t{64} << 10U;
inline constexpr std::size_t kMaxDotsInALine = 64;

inline constexpr std::string_view kFlops = "flops";
inline constexpr std::string_view kBytesPerSecond = "bytes_per_s";
inline constexpr std::string_view kBytes = "bytes";
inline constexpr std::string_view kNanoseconds = "ns";

}  // namespace tactus::toml_profile
