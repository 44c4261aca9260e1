#include <cstdint>

#include "device_work.h"

namespace tactus::cuda_ceilings {
namespace {

constexpr int kThreads = 512;

/// Four loads in flight per thread; `passes` over the same memory. The loads bypass the L1, so a
/// repeated read can only hit the L2.
__global__ void read(const uint4* at, std::size_t count, int passes, unsigned* never) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (; i + 3 * step < count; i += 4 * step) {
      uint4 got[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(got[j].x), "=r"(got[j].y), "=r"(got[j].z), "=r"(got[j].w)
                     : "l"(at + i + j * step));
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) sum ^= got[j].x ^ got[j].y ^ got[j].z ^ got[j].w;
    }
  }
  if (sum == 0x9e3779b9U) *never = sum;  // the compiler cannot know that it never is
}

__global__ void write(uint4* at, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    at[i] = make_uint4(1, 2, 3, 4);
  }
}

__global__ void copy(const uint4* from, uint4* to, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 3 * step < count; i += 4 * step) {
    uint4 got[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) got[j] = from[i + j * step];
#pragma unroll
    for (int j = 0; j < 4; ++j) to[i + j * step] = got[j];
  }
}

/// The bytes that all threads move in one turn of four loads each. Kernels get whole turns, so the
/// counted bytes are the moved bytes.
std::size_t turn_of(int blocks) {
  return std::size_t{4} * blocks * kThreads;
}

}  // namespace

Bandwidths measure_bandwidths(Timer& timer, const cudaDeviceProp& device) {
  constexpr int kRepeats = 8;
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for free memory");
  // Each buffer has at least 16 times the size of the L2, if there is room.
  std::size_t bytes = std::size_t{2} << 30U;
  while (bytes > free_bytes / 4) bytes /= 2;
  const DeviceMemory from(bytes);
  const DeviceMemory to(bytes);
  fill_random(timer, from, 1);
  const auto never = to.at<unsigned>();

  Bandwidths best;
  const auto keep = [](double& into, double found) {
    if (found > into) into = found;
  };
  for (const int blocks_per_sm : {2, 4, 16, 64}) {
    const int blocks = device.multiProcessorCount * blocks_per_sm;
    const std::size_t count = bytes / sizeof(uint4) / turn_of(blocks) * turn_of(blocks);
    const double moved = static_cast<double>(count) * sizeof(uint4);
    if (count == 0) continue;
    keep(best.read, moved / timer.best_time(kRepeats, [&] {
      read<<<blocks, kThreads, 0, timer.stream()>>>(from.at<uint4>(), count, 1, never);
    }));
    keep(best.write, moved / timer.best_time(kRepeats, [&] {
      write<<<blocks, kThreads, 0, timer.stream()>>>(to.at<uint4>(), count);
    }));
    keep(best.copy, 2 * moved / timer.best_time(kRepeats, [&] {
      copy<<<blocks, kThreads, 0, timer.stream()>>>(from.at<uint4>(), to.at<uint4>(), count);
    }));
  }
  keep(best.write, static_cast<double>(bytes) / timer.best_time(kRepeats, [&] {
    cudaMemsetAsync(to.at(), 0, bytes, timer.stream());
  }));
  keep(best.copy, 2 * static_cast<double>(bytes) / timer.best_time(kRepeats, [&] {
    cudaMemcpyAsync(to.at(), from.at(), bytes, cudaMemcpyDeviceToDevice, timer.stream());
  }));

  // Repeated reads of at most half of the L2, which certainly stays in it.
  constexpr int kPasses = 40;
  for (const int blocks_per_sm : {1, 2, 4}) {
    const int blocks = device.multiProcessorCount * blocks_per_sm;
    const std::size_t half = static_cast<std::size_t>(device.l2CacheSize) / 2 / sizeof(uint4);
    for (std::size_t count = turn_of(blocks); count <= half; count *= 2) {
      const double moved = static_cast<double>(count) * sizeof(uint4) * kPasses;
      keep(best.l2_read, moved / timer.best_time(kRepeats, [&] {
        read<<<blocks, kThreads, 0, timer.stream()>>>(from.at<uint4>(), count, kPasses, never);
      }));
    }
  }
  return best;
}

}  // namespace tactus::cuda_ceilings
