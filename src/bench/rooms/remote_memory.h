#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace tactus {

/// The memory of a child process, which shares none with us. False if the place is not the child's
/// or the system does not allow it.
class RemoteMemory {
 public:
  explicit RemoteMemory(pid_t pid) : pid_(pid) {}
  /// By its file /proc/PID/mem, which must stay open: also if the process may not be looked into
  /// any more.
  static RemoteMemory of_file(int file) {
    RemoteMemory memory(-1);
    memory.file_ = file;
    return memory;
  }

  bool write(std::uint64_t to, const void* from, std::size_t bytes) const;
  bool read(void* into, std::uint64_t from, std::size_t bytes) const;

 private:
  pid_t pid_;
  int file_ = -1;
};

}  // namespace tactus
