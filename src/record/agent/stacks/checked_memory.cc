#include "record/agent/stacks/checked_memory.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace tactus::agent {
namespace {

constexpr unsigned kPageBits = 12;
std::atomic<int> pid = 0;

}  // namespace

void forget_pid() {
  pid = 0;
}

bool read_checked(Address from, void* to, std::size_t bytes) {
  if (from < 1u << kPageBits || from + bytes < from || bytes == 0) return false;
  int self = pid.load(std::memory_order_relaxed);
  if (self == 0) {
    self = getpid();
    pid.store(self, std::memory_order_relaxed);
  }
  const int saved_errno = errno;
  iovec here{.iov_base = to, .iov_len = bytes};
  iovec there{.iov_base = reinterpret_cast<void*>(from), .iov_len = bytes};
  const long got = syscall(SYS_process_vm_readv, self, &here, 1ul, &there, 1ul, 0ul);
  errno = saved_errno;
  return got == static_cast<long>(bytes);
}

void OwnMemory::forget_pages() {
  std::memset(pages_, 0, sizeof pages_);
}

void OwnMemory::copy_window(Address from, std::size_t bytes) {
  bytes = bytes < kWindow ? bytes : kWindow;
  window_ = from;
  window_bytes_ = read_checked(from, copy_, bytes) ? bytes : 0;
}

bool OwnMemory::read(Address from, void* to, std::size_t bytes) {
  if (!is_direct_) {
    if (from >= window_ && from - window_ < window_bytes_ &&
        bytes <= window_bytes_ - (from - window_)) {
      std::memcpy(to, copy_ + (from - window_), bytes);
      return true;
    }
    return read_checked(from, to, bytes);
  }
  const Address first = from >> kPageBits;
  const Address last = (from + bytes - 1) >> kPageBits;
  if (knows(first) && knows(last)) [[likely]] {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return true;
  }
  if (!read_checked(from, to, bytes)) return false;
  if (first + 1 >= last) {
    pages_[first % kPages] = first;
    pages_[last % kPages] = last;
  }
  return true;
}

}  // namespace tactus::agent
