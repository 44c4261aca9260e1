#include <algorithm>

#include "operators/cuda/common.cuh"
#include "operators/cuda/entries.h"
#include "operators/cuda/hopper.h"

// moe_align_block_size and moe_count_and_sort: slots sorted by expert, stable. One block sorts few
// slots. More slots are cut into chunks, one per block: one kernel counts the experts of every
// chunk, the next adds up those counts and places its slots.

namespace tactus::cuda {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kMostExperts = 256;
constexpr int kExpertBits = 8;
constexpr std::int64_t kMostSlots = std::int64_t{1} << 30;

// A single block: two slots per thread, and enough threads for the experts.
constexpr int kAloneHeld = 2;
constexpr int kAloneThreads = 1024;
constexpr std::int64_t kAloneSlots = kAloneHeld * kAloneThreads;

// Many blocks: each reads the counts of all, so chunks grow when there would be too many.
constexpr int kTeamThreads = 512;
constexpr int kTeamHeld = 2;
constexpr int kTeamHeldOfMany = 8;
constexpr std::int64_t kManySlots = std::int64_t{128} * kTeamThreads * kTeamHeld;

struct SlotSort {
  const std::int32_t* ids;
  std::int32_t slots;
  std::int32_t experts;
  std::int32_t block;  ///< experts begin at multiples of this; 1: no padding
  std::int32_t* sorted;
  std::int32_t* counts;         ///< may be null
  std::int32_t* sums;           ///< may be null
  std::int32_t* block_experts;  ///< may be null
  std::int32_t* padded_length;  ///< may be null
  std::int32_t* chunk_counts;   ///< [chunks][experts], of many blocks
};

/// Lets the next kernel of the stream start; it waits before it needs the results of this one.
__device__ void let_next_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
__device__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// The lanes of `present` that have the expert of this lane.
__device__ unsigned same_expert(unsigned present, int expert) {
  unsigned same = present;
#pragma unroll
  for (int bit = 0; bit < kExpertBits; ++bit) {
    const bool one = (expert >> bit & 1) != 0;
    const unsigned ones = __ballot_sync(kAllLanes, one);
    same &= one ? ones : ~ones;
  }
  return same;
}

/// Turns the counts of an expert, one per warp, into sums of those before; returns the total.
__device__ std::int32_t sums_before(std::int32_t* counts, int rows, int stride) {
  constexpr int kAtOnce = 8;
  std::int32_t sum = 0;
  for (int first = 0; first < rows; first += kAtOnce) {
    std::int32_t here[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      here[i] = first + i < rows ? counts[(first + i) * stride] : 0;
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (first + i < rows) counts[(first + i) * stride] = sum;
      sum += here[i];
    }
  }
  return sum;
}

__device__ std::int32_t sum_up_to_lane(std::int32_t value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const std::int32_t other = __shfl_up_sync(kAllLanes, value, step);
    if (lane >= step) value += other;
  }
  return value;
}

/// Counts the experts of a chunk of kTeamThreads * kHeld slots.
template <int kHeld>
__global__ void __launch_bounds__(kTeamThreads) count_kernel(SlotSort job) {
  __shared__ std::int32_t counts[kMostExperts];
  let_next_start();
  const int first = static_cast<int>(blockIdx.x) * kTeamThreads * kHeld + threadIdx.x;
  int experts[kHeld];
#pragma unroll
  for (int j = 0; j < kHeld; ++j) {
    const int slot = first + j * kTeamThreads;
    experts[j] = slot < job.slots ? __ldg(job.ids + slot) : -1;
  }
  for (int e = threadIdx.x; e < job.experts; e += kTeamThreads) counts[e] = 0;
  __syncthreads();
#pragma unroll
  for (int j = 0; j < kHeld; ++j) {
    if (experts[j] >= 0) atomicAdd(&counts[experts[j]], 1);
  }
  __syncthreads();
  std::int32_t* to = job.chunk_counts + static_cast<std::int64_t>(blockIdx.x) * job.experts;
  for (int e = threadIdx.x; e < job.experts; e += kTeamThreads) to[e] = counts[e];
}

/// The places for the slots of an expert.
struct ExpertPlaces {
  std::int32_t next[kMostExperts];  ///< place of its first slot in this chunk
  std::int32_t last[kMostExperts];  ///< after its slots, of all chunks
  std::int32_t end[kMostExperts];   ///< after its last block
};

/// Fills the end of each expert's last block and names the expert of each block; one warp per
/// expert.
__device__ void fill_blocks(const SlotSort& job, const ExpertPlaces& places) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  for (int e = warp * gridDim.x + blockIdx.x; e < job.experts; e += warps * gridDim.x) {
    const std::int32_t begin = e == 0 ? 0 : places.end[e - 1];
    const std::int32_t end = places.end[e];
    if (begin == end) continue;
    for (int i = places.last[e] + lane; i < end; i += 32) job.sorted[i] = job.slots;
    for (int b = begin / job.block + lane; b < end / job.block; b += 32) job.block_experts[b] = e;
  }
}

/// Places the slots of a chunk of blockDim.x * kHeld, 32 * kHeld consecutive ones per warp.
template <int kHeld, bool kAlone>
__global__ void __launch_bounds__(kAlone ? kAloneThreads : kTeamThreads)
    place_kernel(SlotSort job) {
  extern __shared__ std::int32_t warp_counts[];  // [warps][experts]
  __shared__ ExpertPlaces places;
  __shared__ std::int32_t warp_lengths[kMostExperts / 32];
  __shared__ int2 parts[kAlone ? 1 : kTeamThreads];
  constexpr int kStretch = 32 * kHeld;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  const int chunk_first = static_cast<int>(blockIdx.x) * warps * kStretch;
  const int first = chunk_first + warp * kStretch + lane;
  const int rows = min(warps, (job.slots - chunk_first + kStretch - 1) / kStretch);
  std::int32_t* own_counts = warp_counts + warp * job.experts;

  int experts[kHeld];
#pragma unroll
  for (int j = 0; j < kHeld; ++j) {
    const int slot = first + j * 32;
    experts[j] = slot < job.slots ? __ldg(job.ids + slot) : 0;
  }
  for (int i = threadIdx.x; i < rows * job.experts; i += blockDim.x) warp_counts[i] = 0;
  __syncthreads();

  // The rank of each slot among those of its expert in the stretch.
  int ranks[kHeld];
  if (warp < rows) {
#pragma unroll
    for (int j = 0; j < kHeld; ++j) {
      const bool there = first + j * 32 < job.slots;
      const unsigned same = same_expert(__ballot_sync(kAllLanes, there), experts[j]);
      const int in_warp = __popc(same & ((1u << lane) - 1));
      const std::int32_t before = there ? own_counts[experts[j]] : 0;
      ranks[j] = before + in_warp;
      __syncwarp();
      if (there && in_warp == 0) own_counts[experts[j]] = before + __popc(same);
      __syncwarp();
    }
  }
  __syncthreads();

  // One thread per expert adds up the counts of this chunk and of all. With many chunks, several
  // threads per expert share them.
  const int columns = (job.experts + 31) / 32 * 32;
  const int expert = threadIdx.x % columns;
  const int part = threadIdx.x / columns;
  std::int32_t total = 0;
  std::int32_t before = 0;
  if (part == 0 && expert < job.experts) {
    total = sums_before(warp_counts + expert, rows, job.experts);
  }
  if constexpr (!kAlone) {
    const int part_count = blockDim.x / columns;
    total = 0;
    wait_for_kernel_before();
    if (part < part_count && expert < job.experts) {
      const int chunks = gridDim.x;
      const int own = blockIdx.x;
#pragma unroll 16
      for (int chunk = part; chunk < chunks; chunk += part_count) {
        const std::int32_t count =
            __ldcg(job.chunk_counts + static_cast<std::int64_t>(chunk) * job.experts + expert);
        total += count;
        if (chunk < own) before += count;
      }
    }
    parts[threadIdx.x] = make_int2(total, before);
    __syncthreads();
    if (part == 0) {
      for (int other = 1; other < part_count; ++other) {
        const int2 theirs = parts[other * columns + expert];
        total += theirs.x;
        before += theirs.y;
      }
    }
  }

  // Lengths in whole blocks, and where each begins. Only whole warps come here.
  std::int32_t length = 0;
  std::int32_t sum = 0;
  if (part == 0) {
    length = (total + job.block - 1) / job.block * job.block;
    sum = sum_up_to_lane(length);
    if (lane == 31) warp_lengths[warp] = sum;
  }
  __syncthreads();
  if (part == 0 && expert < job.experts) {
    std::int32_t begin = sum - length;
    for (int w = 0; w < warp; ++w) begin += warp_lengths[w];
    places.next[expert] = begin + before;
    places.last[expert] = begin + total;
    places.end[expert] = begin + length;
    if (blockIdx.x == 0) {
      const bool is_last = expert == job.experts - 1;
      if (job.counts != nullptr) job.counts[expert] = total;
      if (job.sums != nullptr) job.sums[expert] = begin;
      if (job.sums != nullptr && is_last) job.sums[job.experts] = begin + length;
      if (job.padded_length != nullptr && is_last) *job.padded_length = begin + length;
    }
  }
  __syncthreads();

  if (warp < rows) {
#pragma unroll
    for (int j = 0; j < kHeld; ++j) {
      const int slot = first + j * 32;
      if (slot >= job.slots) continue;
      job.sorted[places.next[experts[j]] + own_counts[experts[j]] + ranks[j]] = slot;
    }
  }
  if (job.block_experts != nullptr) fill_blocks(job, places);
}

int launch_alone(const SlotSort& job, cudaStream_t stream) {
  constexpr int kStretch = 32 * kAloneHeld;
  // All possible warps fill blocks, even if there are few slots.
  const int fewest = (job.block_experts != nullptr ? kAloneThreads : kMostExperts) / 32;
  const int warps = std::max(fewest, (job.slots + kStretch - 1) / kStretch);
  const std::size_t rows = static_cast<std::size_t>((job.slots + kStretch - 1) / kStretch);
  const std::size_t shared = rows * static_cast<std::size_t>(job.experts) * sizeof(std::int32_t);
  place_kernel<kAloneHeld, true><<<1, static_cast<unsigned>(warps * 32), shared, stream>>>(job);
  return launched();
}

int chunk_slots(std::int64_t slots) {
  return kTeamThreads * (slots <= kManySlots ? kTeamHeld : kTeamHeldOfMany);
}

std::int64_t chunks_of(std::int64_t slots) {
  return (slots + chunk_slots(slots) - 1) / chunk_slots(slots);
}

template <int kHeld>
int launch_team(const SlotSort& job, bool early, cudaStream_t stream) {
  const auto chunks = static_cast<unsigned>(chunks_of(job.slots));
  count_kernel<kHeld><<<chunks, kTeamThreads, 0, stream>>>(job);
  cudaLaunchAttribute start_early = {};
  start_early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  start_early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(chunks);
  config.blockDim = dim3(kTeamThreads);
  config.dynamicSmemBytes =
      static_cast<std::size_t>(kTeamThreads / 32 * job.experts) * sizeof(std::int32_t);
  config.stream = stream;
  config.attrs = &start_early;
  config.numAttrs = early ? 1 : 0;
  cudaLaunchKernelEx(&config, place_kernel<kHeld, false>, job);
  return launched();
}

std::int64_t slots_of(const tactus_call* call) {
  const tactus_tensor* ids = tactus_input(call, "topk_ids");
  return ids->shape[0] * ids->shape[1];
}

int sort_slots(const tactus_call* call, SlotSort job) {
  const std::int64_t slots = slots_of(call);
  const std::int64_t places = tactus_output(call, "sorted_token_ids")->shape[0];
  job.ids = input<std::int32_t>(call, "topk_ids");
  job.slots = static_cast<std::int32_t>(slots);
  job.experts = static_cast<std::int32_t>(tactus_value(call, "experts", 0));
  job.sorted = output<std::int32_t>(call, "sorted_token_ids");
  job.chunk_counts = static_cast<std::int32_t*>(call->workspace);
  if (job.experts < 1 || job.experts > kMostExperts || job.block < 1 || slots > kMostSlots ||
      places > 0x7fffffff) {
    return kShapeNotSupported;
  }
  if (slots <= kAloneSlots) return launch_alone(job, stream_of(call));
  const bool early = has_clusters(call);
  if (slots <= kManySlots) return launch_team<kTeamHeld>(job, early, stream_of(call));
  return launch_team<kTeamHeldOfMany>(job, early, stream_of(call));
}

}  // namespace

std::size_t slot_sort_workspace(const tactus_call* call) {
  const std::int64_t slots = slots_of(call);
  if (slots <= kAloneSlots) return 0;
  const auto experts = static_cast<std::int64_t>(tactus_value(call, "experts", 0));
  return static_cast<std::size_t>(chunks_of(slots) * experts) * sizeof(std::int32_t);
}

int moe_align_block_size(const tactus_call* call) {
  SlotSort job = {};
  job.block = static_cast<std::int32_t>(tactus_value(call, "block_size", 128));
  job.block_experts = output<std::int32_t>(call, "expert_ids");
  job.padded_length = output<std::int32_t>(call, "num_tokens_post_pad");
  return sort_slots(call, job);
}

int moe_count_and_sort(const tactus_call* call) {
  SlotSort job = {};
  job.block = 1;
  job.counts = output<std::int32_t>(call, "expert_token_counts");
  job.sums = output<std::int32_t>(call, "cumsum");
  return sort_slots(call, job);
}

}  // namespace tactus::cuda
