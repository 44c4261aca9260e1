#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace tactus {

/// The memory of a child process. False if the place is not the child's or the system does not
/// allow it.
class RemoteMemory {
 public:
  explicit RemoteMemory(pid_t pid) : pid_(pid) {}
  /// By a file that must stay open: /proc/PID/mem, also if the process may not be looked into any
  /// more, or one that the process has at the address `begin`.
  static RemoteMemory of_file(int file, std::uint64_t begin = 0) {
    RemoteMemory memory(-1);
    memory.file_ = file;
    memory.begin_ = begin;
    return memory;
  }

  bool write(std::uint64_t to, const void* from, std::size_t bytes) const;
  bool read(void* into, std::uint64_t from, std::size_t bytes) const;

 private:
  pid_t pid_;
  int file_ = -1;
  std::uint64_t begin_ = 0;  ///< the address of its first byte
};

}  // namespace tactus
