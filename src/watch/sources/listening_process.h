#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tactus::watch {

/// The process of this machine that listens at an address ("127.0.0.1", "localhost", "::1") and
/// port; nothing if that is another machine, or not to be seen.
std::optional<std::int64_t> listening_process(const std::string& host, std::uint16_t port,
                                              const std::string& proc = "/proc");

}  // namespace tactus::watch
