#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::record {

/// A line of /proc/PID/maps.
struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;  ///< in the file
  bool is_code = false;
  bool is_writable = false;
  bool is_special = false;  ///< [vdso], [stack], ..
  std::string path;         ///< empty: no file

  bool has(std::uint64_t address) const { return address >= begin && address < end; }
  std::string_view file_name() const { return std::string_view(path).substr(path.rfind('/') + 1); }
};

/// By address. Lines that make no sense are left out.
std::vector<Mapping> parse_mappings(std::string_view text);
std::vector<Mapping> mappings_of(std::int64_t pid);

/// What /proc/PID/status says.
struct ProcessStatus {
  std::int64_t tracer = 0;  ///< another process that traces it
  std::int64_t user = -1;   ///< effective
  char state = '?';
  int seccomp = 0;
};
ProcessStatus parse_status(std::string_view text);
std::optional<ProcessStatus> status_of(std::int64_t pid);

/// What /proc/PID/task/TID/syscall says of a thread that waits in a call of the kernel.
struct KernelCall {
  std::int64_t number = -1;  ///< -1: in none
  std::uint64_t first = 0;   ///< argument
  std::uint64_t second = 0;
};
/// Nothing for a thread that runs.
std::optional<KernelCall> parse_call(std::string_view text);
std::optional<KernelCall> call_of(std::int64_t pid, std::int64_t tid);
std::vector<std::int64_t> threads_of(std::int64_t pid);

/// Copies memory of a process; false if it is not all there.
bool read_memory(std::int64_t pid, std::uint64_t address, std::span<char> into);

}  // namespace tactus::record
