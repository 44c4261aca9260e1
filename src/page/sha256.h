#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tactus {

/// SHA-256 (FIPS 180-4), for content security policies.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);

/// Base64 with padding (RFC 4648).
std::string base64(std::string_view bytes);

/// 'sha256-...' as a content security policy writes it, quotes included.
std::string csp_hash(std::string_view bytes);

}  // namespace tactus
