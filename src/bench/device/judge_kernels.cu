// The judge's own kernels. `scripts/make-judge-kernels` compiles them into judge_kernels.ptx, which
// is part of the program, so that no CUDA toolkit is needed where it runs.
#include "operators/refresh_plan.h"

extern "C" {

__global__ void judge_empty() {}

/// Moves 16 bytes in each thread.
__global__ void judge_copy(const uint4* from, uint4* to) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

/// Loads 16 bytes of zeros in each thread, and would clear them if they were not zero. (To store
/// what was loaded would be nothing to a compiler, which then would not load it either.)
__global__ void judge_read(uint4* from) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const uint4 value = from[i];
  if ((value.x | value.y | value.z | value.w) != 0) from[i] = make_uint4(0, 0, 0, 0);
}

__global__ void judge_refresh(tactus::RefreshPlan plan, const void* from, void* into) {
  const std::uint64_t words = (plan.elements * plan.width + 7) / 8;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t word = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; word < words;
       word += stride) {
    const std::uint64_t numbers = tactus::refreshed_word(plan, from, word);
    const std::uint64_t left = plan.elements * plan.width - word * 8;
    if (left >= 8) {
      static_cast<std::uint64_t*>(into)[word] = numbers;
      continue;
    }
    auto* bytes = static_cast<unsigned char*>(into) + word * 8;
    for (std::uint64_t i = 0; i < left; ++i) bytes[i] = numbers >> (8 * i);
  }
}

}  // extern "C"
