#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hardware/profile.h"

namespace tactus {

/// $XDG_CACHE_HOME/tactus, or ~/.cache/tactus; empty where neither is known.
std::string default_cache_folder();

/// "host" and "Intel(R) Xeon(R) Processor, 2 threads":
/// "host-intel-r-xeon-r-processor-2-threads.toml"
std::string cache_file_name(std::string_view kind, std::string_view machine);

/// What was measured before on this very machine; nothing where the file cannot be read or is of
/// another one. An empty folder holds nothing.
std::optional<HardwareProfile> cached_profile(const std::string& folder, const std::string& file,
                                              std::string_view name, std::string_view variant);

/// Creates the folder if need be. Keeps nothing in an empty folder.
Status keep_profile(const std::string& folder, const std::string& file,
                    const HardwareProfile& profile);

/// As figures are dated: "2026-11-15".
std::string today();

}  // namespace tactus
