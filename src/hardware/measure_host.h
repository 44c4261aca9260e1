#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/progress.h"
#include "hardware/profile.h"
#include "hardware/profile_cache.h"

namespace tactus {

struct HostOptions {
  std::string cache_folder = default_cache_folder();  ///< empty: save nothing
  std::chrono::milliseconds time_per_figure{150};
  std::size_t memory_bytes = 0;  ///< to read and write; 0: four times the last cache
  unsigned threads = 0;          ///< 0: all that this process may use
};

/// The profile "host": what this machine reaches now with all its threads, in about three seconds.
/// It is saved in a file and read from there the next time, unless `fresh` is given. A file that
/// cannot be written is not an error: `warning`, if given, is set to a sentence about it.
Result<HardwareProfile> measure_host(Progress& progress, bool fresh,
                                     const HostOptions& options = {},
                                     std::string* warning = nullptr);

/// Nothing is measured: an earlier result, if there is one.
std::optional<HardwareProfile> saved_host(const HostOptions& options = {});

/// Measures again and saves the better figures of both: a machine that was busy then, or now,
/// reaches more than it seemed to.
Result<HardwareProfile> better_host(Progress& progress, const HardwareProfile& earlier,
                                    const HostOptions& options = {});

}  // namespace tactus
