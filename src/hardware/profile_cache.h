#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hardware/profile.h"

namespace tactus {

/// $XDG_CACHE_HOME/tactus, or ~/.cache/tactus; empty if neither is known.
std::string default_cache_folder();

/// "host" and "Intel(R) Xeon(R) Processor, 2 threads":
/// "host-intel-r-xeon-r-processor-2-threads.toml"
std::string cache_file_name(std::string_view kind, std::string_view machine);

/// The earlier measurement of this machine; nothing if the file cannot be read or belongs to
/// another machine. An empty folder name means no file.
std::optional<HardwareProfile> cached_profile(const std::string& folder, const std::string& file,
                                              std::string_view name, std::string_view variant);

/// Creates the folder if needed. Saves nothing if the folder name is empty.
Status keep_profile(const std::string& folder, const std::string& file,
                    const HardwareProfile& profile);

/// The form of dates in figures: "2026-11-15".
std::string today();

}  // namespace tactus
