#include "hardware/host_machine.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace tactus {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// "2048K" or "260M" as sysfs writes sizes, "16329476 kB" as /proc does, or a plain number.
std::size_t size_of(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return 0;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (unit.starts_with('k') || unit.starts_with('K')) return number << 10U;
  if (unit.starts_with('M')) return number << 20U;
  if (unit.starts_with('G')) return number << 30U;
  return number;
}

/// The text behind "key :" of /proc/cpuinfo or /proc/meminfo.
std::string value_of(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    if (start != std::string::npos) return line.substr(start);
  }
  return {};
}

/// The sum of the caches per level. A cache that several cores share is listed at each core.
std::map<int, std::size_t> caches(const fs::path& cpus) {
  std::map<int, std::size_t> levels;
  std::set<std::pair<std::string, std::string>> seen;  // level and sharers
  std::error_code error;
  for (const auto& cpu : fs::directory_iterator(cpus, error)) {
    if (!cpu.path().filename().string().starts_with("cpu")) continue;
    std::error_code none;
    for (const auto& cache : fs::directory_iterator(cpu.path() / "cache", none)) {
      if (!cache.path().filename().string().starts_with("index")) continue;
      if (first_line(cache.path() / "type") == "Instruction") continue;
      const std::string level = first_line(cache.path() / "level");
      const std::string sharers = first_line(cache.path() / "shared_cpu_list");
      if (!seen.emplace(level, sharers).second) continue;
      const std::size_t bytes = size_of(first_line(cache.path() / "size"));
      if (bytes > 0) levels[static_cast<int>(size_of(level))] += bytes;
    }
  }
  return levels;
}

}  // namespace

HostMachine read_host_machine(const std::string& root) {
  HostMachine machine;
  machine.processor = value_of(root + "/proc/cpuinfo", "model name");
  machine.memory_bytes = size_of(value_of(root + "/proc/meminfo", "MemTotal"));
  machine.free_memory_bytes = size_of(value_of(root + "/proc/meminfo", "MemAvailable"));
  // A container may have a lower limit than the machine.
  const std::size_t limit = size_of(first_line(root + "/sys/fs/cgroup/memory.max"));
  if (limit > 0) {
    const std::size_t used = size_of(first_line(root + "/sys/fs/cgroup/memory.current"));
    machine.free_memory_bytes =
        std::min(machine.free_memory_bytes, limit > used ? limit - used : 0);
  }
  for (const auto& [level, bytes] : caches(root + "/sys/devices/system/cpu")) {
    if (level == 2) machine.own_cache_bytes = bytes;
    machine.last_cache_level = level;
    machine.last_cache_bytes = bytes;
  }
  return machine;
}

}  // namespace tactus
