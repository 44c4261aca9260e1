#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bench/rooms/remote_memory.h"

namespace tactus {

/// Memory for tensors that a worker shares with the judge, so that the judge can remove it from the
/// caches: an instruction for that needs an address of the process that executes it.
struct SharedBlock {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  int file = -1;  ///< a file in memory; its size cannot change any more
};

/// In the worker. Null memory if the system cannot do that.
SharedBlock make_shared_block(std::size_t bytes);

/// The same memory in the judge, to remove it from the caches just before the worker continues. It
/// is written and copied by its file, while the worker is stopped; nothing is read where it is
/// mapped.
class SharedMemory {
 public:
  /// What the worker has open as `file` and has at `address`; before it loads any code that is not
  /// ours. Null if it cannot be opened.
  static std::unique_ptr<SharedMemory> of(pid_t worker, int file, std::uint64_t address,
                                          std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// By the file: also if the worker has something else at the address by now.
  RemoteMemory memory() const { return RemoteMemory::of_file(file_, address_); }
  /// Removes the worker's memory at that address from all caches.
  void evict(std::uint64_t from, std::size_t bytes) const;

 private:
  SharedMemory(int file, std::byte* mapped, std::uint64_t address, std::size_t bytes)
      : file_(file), mapped_(mapped), address_(address), bytes_(bytes) {}

  int file_;
  std::byte* mapped_;
  std::uint64_t address_;  ///< in the worker
  std::size_t bytes_;
};

}  // namespace tactus
