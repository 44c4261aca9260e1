#include "bench/rooms/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "bench/device/cache_lines.h"

namespace tactus {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr int kCollapse = 25;  // MADV_COLLAPSE (Linux 6.1)
constexpr unsigned kSeals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

/// Addresses for so many bytes, aligned so that pages can be large.
std::byte* aligned_room(std::size_t bytes) {
  void* reserved = mmap(nullptr, bytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(reserved);
  return static_cast<std::byte*>(reserved) + (kHugePage - address % kHugePage) % kHugePage;
}

}  // namespace

SharedBlock make_shared_block(std::size_t bytes) {
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  const int file = memfd_create("tactus-tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return {};
  std::byte* room = aligned_room(whole);
  if (room == nullptr || ftruncate(file, static_cast<off_t>(whole)) != 0 ||
      fcntl(file, F_ADD_SEALS, kSeals) != 0 ||
      mmap(room, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    close(file);
    return {};
  }
  madvise(room, whole, MADV_HUGEPAGE);  // only a hint
  std::memset(room, 0, whole);          // no call is the first to touch its pages
  madvise(room, whole, kCollapse);      // where the system gives files none for a hint
  return {.memory = room, .bytes = whole, .file = file};
}

std::unique_ptr<SharedMemory> SharedMemory::of(pid_t worker, int file, std::uint64_t address,
                                               std::size_t bytes) {
  const int opened = open(fmt::format("/proc/{}/fd/{}", worker, file).c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) return nullptr;
  const int seals = fcntl(opened, F_GET_SEALS);
  void* mapped = MAP_FAILED;
  if (seals >= 0 && (static_cast<unsigned>(seals) & kSeals) == kSeals) {
    mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, opened, 0);
  }
  if (mapped == MAP_FAILED) {
    close(opened);
    return nullptr;
  }
  return std::unique_ptr<SharedMemory>(
      new SharedMemory(opened, static_cast<std::byte*>(mapped), address, bytes));
}

SharedMemory::~SharedMemory() {
  munmap(mapped_, bytes_);
  close(file_);
}

void SharedMemory::evict(std::uint64_t from, std::size_t bytes) const {
  evict_lines(mapped_ + (from - address_), bytes);
}

}  // namespace tactus
