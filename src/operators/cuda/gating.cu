#include "operators/cuda/common.cuh"
#include "operators/cuda/entries.h"

namespace tactus::cuda {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;

/// Bits of a float as a signed number in the same order, and back.
__device__ int in_order(float value) {
  const int bits = __float_as_int(value);
  return bits ^ (bits >> 31 & 0x7fffffff);
}
__device__ float from_order(int order) {
  return __int_as_float(order ^ (order >> 31 & 0x7fffffff));
}

__device__ float largest_of_warp(float value) {
  return from_order(__reduce_max_sync(kAllLanes, in_order(value)));
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

/// Four neighbouring numbers, largest first; of equal ones the earlier first. Non-negative numbers
/// have the order of their bits; one is added, so that 0 means "taken".
struct SortedFour {
  std::uint32_t keys[4];
  std::uint32_t whose;  ///< one byte each: which of the four

  __device__ void sort(const float* values) {
    std::uint32_t at[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      keys[i] = __float_as_uint(values[i]) + 1;
      at[i] = static_cast<std::uint32_t>(i);
    }
    // Insertion sort: only neighbours are exchanged, so equal numbers stay in order.
#pragma unroll
    for (int next = 1; next < 4; ++next) {
#pragma unroll
      for (int i = next; i > 0; --i) {
        const bool turn = keys[i - 1] < keys[i];
        const std::uint32_t key = keys[i];
        const std::uint32_t index = at[i];
        keys[i] = turn ? keys[i - 1] : key;
        at[i] = turn ? at[i - 1] : index;
        keys[i - 1] = turn ? key : keys[i - 1];
        at[i - 1] = turn ? index : at[i - 1];
      }
    }
    whose = at[0] | at[1] << 8 | at[2] << 16 | at[3] << 24;
  }
  __device__ void take() {
    keys[0] = keys[1];
    keys[1] = keys[2];
    keys[2] = keys[3];
    keys[3] = 0;
    whose >>= 8;
  }
};

/// One warp per token: softmax over the experts, then top_k times the largest of the rest. Each
/// lane has its numbers in sorted fours, so only the first of each can be the next.
template <int kFours>
__global__ void __launch_bounds__(kBlockThreads)
    gating_kernel(const float* gating, float* weights, std::int32_t* ids, std::int64_t tokens,
                  int top_k) {
  const std::int64_t token =
      (static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x) / 32;
  if (token >= tokens) return;
  const int lane = threadIdx.x % 32;
  const float4* row = reinterpret_cast<const float4*>(gating + token * kFours * 128);
  float values[kFours][4];
#pragma unroll
  for (int j = 0; j < kFours; ++j) {
    const float4 four = __ldcs(row + j * 32 + lane);
    values[j][0] = four.x;
    values[j][1] = four.y;
    values[j][2] = four.z;
    values[j][3] = four.w;
  }
  float largest = values[0][0];
#pragma unroll
  for (int i = 1; i < kFours * 4; ++i) largest = fmaxf(largest, values[i / 4][i % 4]);
  largest = largest_of_warp(largest);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kFours * 4; ++i) {
    values[i / 4][i % 4] = expf(values[i / 4][i % 4] - largest);
    sum += values[i / 4][i % 4];
  }
  const float inverse = 1.0f / sum_of_warp(sum);
  SortedFour fours[kFours];
#pragma unroll
  for (int j = 0; j < kFours; ++j) fours[j].sort(values[j]);

  // Lane r keeps the result of round r; 32 at a time are written.
  std::uint32_t kept_key = 1;
  std::int32_t kept_id = 0;
  for (int round = 0; round < top_k; ++round) {
    std::uint32_t first = fours[0].keys[0];
#pragma unroll
    for (int j = 1; j < kFours; ++j) first = max(first, fours[j].keys[0]);
    const std::uint32_t best = __reduce_max_sync(kAllLanes, first);
    int id = 0;
    bool taken = false;  // the same in all lanes
    // Ids grow from four to four and from lane to lane: the first match is the smallest.
#pragma unroll
    for (int j = 0; j < kFours; ++j) {
      if (taken) continue;
      const unsigned owners = __ballot_sync(kAllLanes, fours[j].keys[0] == best);
      if (owners == 0) continue;
      const int owner = __ffs(static_cast<int>(owners)) - 1;
      const std::uint32_t whose = __shfl_sync(kAllLanes, fours[j].whose, owner);
      id = (j * 32 + owner) * 4 + static_cast<int>(whose & 3);
      if (lane == owner) fours[j].take();
      taken = true;
    }
    const int keeper = round % 32;
    if (lane == keeper) {
      kept_key = best;
      kept_id = id;
    }
    if ((keeper == 31 || round + 1 == top_k) && lane <= keeper) {
      const std::int64_t to = token * top_k + (round - keeper) + lane;
      weights[to] = __uint_as_float(kept_key - 1) * inverse;
      ids[to] = kept_id;
    }
  }
}

}  // namespace

int moe_topk_gating_softmax(const tactus_call* call) {
  const tactus_tensor* gating = tactus_input(call, "gating");
  const std::int64_t tokens = gating->shape[0];
  const auto top_k = static_cast<int>(tactus_value(call, "top_k", 8));
  if (top_k > gating->shape[1]) return kShapeNotSupported;
  if (tokens == 0) return 0;
  const auto blocks = static_cast<unsigned>((tokens * 32 + kBlockThreads - 1) / kBlockThreads);
  const auto run = [&](auto kernel) {
    kernel<<<blocks, kBlockThreads, 0, stream_of(call)>>>(
        input<float>(call, "gating"), output<float>(call, "topk_weights"),
        output<std::int32_t>(call, "topk_ids"), tokens, top_k);
    return launched();
  };
  if (gating->shape[1] == 128) return run(gating_kernel<1>);
  if (gating->shape[1] == 256) return run(gating_kernel<2>);
  if (gating->shape[1] == 512) return run(gating_kernel<4>);
  return kShapeNotSupported;
}

}  // namespace tactus::cuda
