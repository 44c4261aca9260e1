#include "bench/rooms/remote_memory.h"

#include <sys/uio.h>
#include <unistd.h>

namespace tactus {
namespace {

using Transfer = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                             unsigned long);

/// The system may move fewer bytes than asked for.
bool transferred(Transfer transfer, pid_t pid, std::byte* ours, std::uint64_t theirs,
                 std::size_t bytes) {
  while (bytes > 0) {
    const iovec here = {ours, bytes};
    const iovec there = {reinterpret_cast<void*>(theirs), bytes};
    const ssize_t moved = transfer(pid, &here, 1, &there, 1, 0);
    if (moved <= 0) return false;
    ours += moved;
    theirs += static_cast<std::uint64_t>(moved);
    bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

/// move(our memory, place in the file, bytes), until all are moved.
template <class Byte, class Move>
bool moved_by_file(Byte* ours, std::uint64_t theirs, std::size_t bytes, Move move) {
  while (bytes > 0) {
    const ssize_t moved = move(ours, static_cast<off_t>(theirs), bytes);
    if (moved <= 0) return false;
    ours += moved;
    theirs += static_cast<std::uint64_t>(moved);
    bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

}  // namespace

bool RemoteMemory::write(std::uint64_t to, const void* from, std::size_t bytes) const {
  if (file_ >= 0) {
    return moved_by_file(static_cast<const std::byte*>(from), to - begin_, bytes,
                         [this](const std::byte* ours, off_t theirs, std::size_t count) {
                           return pwrite(file_, ours, count, theirs);
                         });
  }
  auto* ours = const_cast<std::byte*>(static_cast<const std::byte*>(from));
  return transferred(process_vm_writev, pid_, ours, to, bytes);
}

bool RemoteMemory::read(void* into, std::uint64_t from, std::size_t bytes) const {
  if (file_ >= 0) {
    return moved_by_file(static_cast<std::byte*>(into), from - begin_, bytes,
                         [this](std::byte* ours, off_t theirs, std::size_t count) {
                           return pread(file_, ours, count, theirs);
                         });
  }
  return transferred(process_vm_readv, pid_, static_cast<std::byte*>(into), from, bytes);
}

}  // namespace tactus
