#include "bench/shared_block.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/parallel.h"

namespace tactus {

Result<SharedBlock> SharedBlock::make(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return broke_error(fmt::format("no {:.1f} GB of memory for the tensors: {}",
                                   static_cast<double>(bytes) / 1e9, std::strerror(errno)));
  }
  return SharedBlock(static_cast<std::byte*>(memory), bytes);
}

SharedBlock::~SharedBlock() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

SharedBlock::SharedBlock(SharedBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

void copy_bytes(void* to, const void* from, std::size_t bytes, unsigned threads) {
  constexpr std::size_t kPiece = std::size_t{16} << 20;
  parallel_for(threads, (bytes + kPiece - 1) / kPiece, [&](std::size_t piece, unsigned) {
    const std::size_t first = piece * kPiece;
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first,
                std::min(kPiece, bytes - first));
  });
}

}  // namespace tactus
