#pragma once

#include "operators/cuda/common.cuh"

// Finds the top_k-th largest number: among few in shared memory by comparing all with all, among
// many in device memory by bins of their bits.

namespace tactus::cuda {

inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr std::uint32_t kNoKey = 0xffffffffu;     ///< above those of all numbers
inline constexpr std::uint32_t kLeastKey = 0x007fffffu;  ///< of -infinity

/// Bits in the order of the numbers: larger numbers have larger keys. -0 is below 0 here, so
/// thresholds are compared as numbers.
__device__ inline std::uint32_t ordered(float value) {
  const std::uint32_t bits = __float_as_uint(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}
__device__ inline float from_ordered(std::uint32_t key) {
  return __uint_as_float((key & 0x80000000u) != 0 ? key ^ 0x80000000u : ~key);
}

/// Lowers *key (kNoKey before) to that of the wanted-th largest of `count` numbers in shared
/// memory: the least number with fewer than `wanted` numbers above it. All threads of the block
/// must call it, and synchronise before they read *key.
__device__ inline void lower_to_ranked(const float* numbers, int count, int wanted,
                                       std::uint32_t* key) {
  // If there are enough threads, several lanes share the comparisons of one number.
  int share_bits = 0;
  while (share_bits < 5 && (count << (share_bits + 1)) <= static_cast<int>(blockDim.x)) {
    ++share_bits;
  }
  const int sharing = 1 << share_bits;
  const int part = static_cast<int>(threadIdx.x) & (sharing - 1);
  const int step = static_cast<int>(blockDim.x) >> share_bits;
  const int in_warp = static_cast<int>(threadIdx.x) % 32 >> share_bits;
  const int warp_first = static_cast<int>(threadIdx.x) / 32 * 32 >> share_bits;
  for (int first = warp_first; first < count; first += step) {  // the same in all lanes
    const int index = first + in_warp;
    const bool there = index < count;
    const float number = there ? numbers[index] : 0.0f;
    int above = 0;
#pragma unroll 8
    for (int other = part; other < count; other += sharing) above += numbers[other] > number;
    for (int lane_step = 1; lane_step < sharing; lane_step *= 2) {
      above += __shfl_xor_sync(kAllLanes, above, lane_step);
    }
    const std::uint32_t own = there && above < wanted ? ordered(number) : kNoKey;
    const std::uint32_t least = __reduce_min_sync(kAllLanes, own);
    if (threadIdx.x % 32 == 0 && least != kNoKey) atomicMin(key, least);
  }
}

/// The key of the top_k-th largest number of a row, in three passes over lower and lower bits (11,
/// 11, 10).
__device__ inline std::uint32_t threshold_by_bins(const float* row, int width, int top_k) {
  constexpr int kBins = 2048;
  __shared__ std::int32_t bins[kBins];
  __shared__ std::uint32_t chosen;
  __shared__ std::int32_t left;
  std::uint32_t prefix = 0;
  int wanted = top_k;
  for (int look = 0; look < 3; ++look) {
    const int shift = look == 0 ? 21 : look == 1 ? 10 : 0;
    const int bits = look == 2 ? 10 : 11;
    const std::uint32_t above = look == 0 ? 0 : 0xffffffffu << (shift + bits);
    for (int i = threadIdx.x; i < kBins; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
      const std::uint32_t key = ordered(__ldg(row + i));
      if ((key & above) == (prefix & above)) {
        atomicAdd(&bins[key >> shift & ((1u << bits) - 1)], 1);
      }
    }
    __syncthreads();
    // The first warp goes down from the largest bin, 32 at a time.
    if (threadIdx.x < 32) {
      int seen = 0;
      for (int top = (1 << bits) - 1; top >= 0; top -= 32) {
        const int bin = top - static_cast<int>(threadIdx.x);
        const std::int32_t here = bins[bin];
        std::int32_t sum = here;
        for (int step = 1; step < 32; step *= 2) {
          const std::int32_t other = __shfl_up_sync(kAllLanes, sum, step);
          if (static_cast<int>(threadIdx.x) >= step) sum += other;
        }
        const bool reaches = seen + sum >= wanted;
        const unsigned reached = __ballot_sync(kAllLanes, reaches);
        if (reached != 0) {
          if (static_cast<int>(threadIdx.x) == __ffs(static_cast<int>(reached)) - 1) {
            chosen = static_cast<std::uint32_t>(bin);
            left = wanted - (seen + sum - here);
          }
          break;
        }
        seen += __shfl_sync(kAllLanes, sum, 31);
      }
    }
    __syncthreads();
    prefix |= chosen << shift;
    wanted = left;
    __syncthreads();
  }
  return prefix;
}

}  // namespace tactus::cuda
