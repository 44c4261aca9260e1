#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tactus::inject {

/// What can be given away without harm. All readers take a root folder, for tests.
struct Machine {
  std::vector<int> cores;          ///< that this process may use
  std::uint64_t memory_total = 0;  ///< [bytes], also by the limit of the container
  std::uint64_t memory_free = 0;   ///< [bytes], without swapping
};

Result<Machine> look_at_machine(const std::string& root = "");

/// Memory that is free now, of all or of what the container may have; nothing if it cannot be read.
std::optional<std::uint64_t> memory_free_now(const std::string& root = "");
/// Percent of the last 10 s in which all tasks waited for memory; nothing if not known.
std::optional<double> memory_stalls(const std::string& root = "");

/// Why a process may not be stopped for a moment; empty if it may.
std::string why_not_stop(std::int64_t pid, const std::string& root = "");

}  // namespace tactus::inject
