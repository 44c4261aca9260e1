#include <sys/mman.h>

#include <cstring>

#include "candidate.h"

// Memory of the system, not of the heap.
static int run(const tactus_call* call) {
  constexpr std::size_t kBytes = std::size_t{40} << 20;
  void* scratch = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (scratch == MAP_FAILED) return 1;
  std::memset(scratch, 1, kBytes);
  munmap(scratch, kBytes);
  return candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
