#include "bench/rooms/kept_block.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/parallel.h"

namespace tactus {

KeptBlock::~KeptBlock() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

Result<std::byte*> KeptBlock::of(std::size_t bytes) {
  if (data_ != nullptr && bytes <= bytes_) return data_;
  if (data_ != nullptr) munmap(std::exchange(data_, nullptr), std::exchange(bytes_, 0));
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return broke_error(fmt::format("no {:.1f} GB of memory for the tensors: {}",
                                   static_cast<double>(bytes) / 1e9, std::strerror(errno)));
  }
  madvise(memory, bytes, MADV_HUGEPAGE);  // only a hint; without it the pages are small
  if (madvise(memory, bytes, MADV_DONTFORK) != 0) {
    munmap(memory, bytes);
    return broke_error("memory cannot be kept from the workers");
  }
  data_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
  return data_;
}

void copy_bytes(void* to, const void* from, std::size_t bytes, unsigned threads) {
  constexpr std::size_t kPiece = std::size_t{16} << 20;
  parallel_for(threads, (bytes + kPiece - 1) / kPiece, [&](std::size_t piece, unsigned) {
    const std::size_t first = piece * kPiece;
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first,
                std::min(kPiece, bytes - first));
  });
}

}  // namespace tactus
