#pragma once

#include <cstddef>
#include <string>

namespace tactus {

/// What the operating system says about this machine; 0 or empty if it does not say.
struct HostMachine {
  std::string processor;              ///< "Intel(R) Xeon(R) Platinum 8480C"
  std::size_t memory_bytes = 0;       ///< in total
  std::size_t free_memory_bytes = 0;  ///< that a program may still take
  std::size_t own_cache_bytes = 0;    ///< second level of all cores together
  std::size_t last_cache_bytes = 0;   ///< last level, all of them together
  int last_cache_level = 0;
};

/// `root` is put before /proc and /sys; tests give a folder.
HostMachine read_host_machine(const std::string& root = "");

}  // namespace tactus
