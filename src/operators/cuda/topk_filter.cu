#include <cooperative_groups.h>

#include <algorithm>

#include "operators/cuda/common.cuh"
#include "operators/cuda/entries.h"
#include "operators/cuda/hopper.h"
#include "operators/cuda/topk_filter.cuh"

// topk_filter: a row is read once into registers and written once. In between its threshold is
// found: groups of threads give the largest of their numbers, and the top_k-th largest of those is
// a floor that at least top_k numbers reach, and not many more. The threshold is the top_k-th
// largest of these candidates. Rows with too many candidates (ties), or with a top_k too large for
// groups, find it bit by bit.

namespace tactus::cuda {
namespace {

namespace cg = cooperative_groups;

constexpr int kMostThreads = 1024;
constexpr int kClusterBlocks = 8;
constexpr int kMostCandidates = 512;         // of a block alone
constexpr int kMostClusterCandidates = 128;  // of each block of a cluster
constexpr int kMostTopK = 256;  // with candidates; above this, comparing all with all costs more

/// Numbers of a row that a thread holds. Those beyond its end are -infinity, which is never above a
/// threshold as long as top_k is not above the width.
template <int kHeld, bool kVector>
struct Held {
  float at[kHeld];

  /// `threads` threads share the row, `thread` is one of them.
  __device__ void load(const float* row, int width, int thread, int threads) {
    if constexpr (kVector) {
#pragma unroll
      for (int j = 0; j < kHeld / 4; ++j) {
        const int i = (j * threads + thread) * 4;
        const float4 four = i < width ? __ldcs(reinterpret_cast<const float4*>(row + i))
                                      : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        at[4 * j] = four.x;
        at[4 * j + 1] = four.y;
        at[4 * j + 2] = four.z;
        at[4 * j + 3] = four.w;
      }
    } else {
#pragma unroll
      for (int j = 0; j < kHeld; ++j) {
        const int i = j * threads + thread;
        at[j] = i < width ? __ldcs(row + i) : -INFINITY;
      }
    }
  }

  /// Keeps numbers that are at least `threshold`; the rest becomes -infinity.
  __device__ void store(float* row, int width, int thread, int threads, float threshold) const {
    const auto filtered = [&](int j) { return at[j] >= threshold ? at[j] : -INFINITY; };
    if constexpr (kVector) {
#pragma unroll
      for (int j = 0; j < kHeld / 4; ++j) {
        const int i = (j * threads + thread) * 4;
        if (i < width) {
          __stcs(reinterpret_cast<float4*>(row + i),
                 make_float4(filtered(4 * j), filtered(4 * j + 1), filtered(4 * j + 2),
                             filtered(4 * j + 3)));
        }
      }
    } else {
#pragma unroll
      for (int j = 0; j < kHeld; ++j) {
        const int i = j * threads + thread;
        if (i < width) __stcs(row + i, filtered(j));
      }
    }
  }

  /// The largest number of a group of neighbouring lanes (a power of two), in each of them.
  __device__ float largest(int group) const {
    float most = at[0];
#pragma unroll
    for (int j = 1; j < kHeld; ++j) most = fmaxf(most, at[j]);
    for (int step = 1; step < group; step *= 2) {
      most = fmaxf(most, __shfl_xor_sync(kAllLanes, most, step));
    }
    return most;
  }

  __device__ int count_from(float floor) const {
    int count = 0;
#pragma unroll
    for (int j = 0; j < kHeld; ++j) count += at[j] >= floor ? 1 : 0;
    return count;
  }

  /// Puts numbers that are at least `floor` into `candidates`; `found` counts all of them, also
  /// those without room.
  __device__ void gather(float floor, float* candidates, int room, int* found) const {
    const int lane = threadIdx.x % 32;
    const int own = count_from(floor);
    if (__ballot_sync(kAllLanes, own != 0) == 0) return;
    int up_to = own;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(kAllLanes, up_to, step);
      if (lane >= step) up_to += other;
    }
    int first = 0;
    if (lane == 31) first = atomicAdd(found, up_to);
    first = __shfl_sync(kAllLanes, first, 31);
    int to = first + up_to - own;
#pragma unroll
    for (int j = 0; j < kHeld; ++j) {
      if (at[j] >= floor) {
        if (to < room) candidates[to] = at[j];
        ++to;
      }
    }
  }
};

/// The threshold bit by bit: the largest key that top_k numbers reach. `count_all(bit, of_warp)`
/// returns the sum over all warps of the row. Keys are compared as numbers, which needs no
/// registers for keys: no number reaches the key of a NaN, so keys below that of -infinity, which
/// all numbers reach, are lost.
template <class Row, class CountAll>
__device__ float threshold_by_bits(const Row& held, int top_k, const CountAll& count_all) {
  std::uint32_t key = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint32_t higher = key | 1u << bit;
    const int own = held.count_from(from_ordered(higher));
    if (count_all(bit, __reduce_add_sync(kAllLanes, own)) >= top_k) key = higher;
  }
  return key < kLeastKey ? -INFINITY : from_ordered(key);
}

struct RowShared {
  float maxima[kMostThreads];
  float candidates[kMostCandidates];
  int counts[32];  ///< of each bit
  std::uint32_t floor_key;
  std::uint32_t threshold_key;
  int found;
};

/// One block per row. `group`: lanes that share a largest number; 0: the threshold by bits.
template <int kHeld, bool kVector>
__global__ void __launch_bounds__(kMostThreads)
    filter_row_kernel(const float* logits, float* out, int width, int top_k, int group) {
  __shared__ RowShared shared;
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * width;
  if (thread < 32) shared.counts[thread] = 0;
  if (thread == 0) {
    shared.floor_key = kNoKey;
    shared.threshold_key = kNoKey;
    shared.found = 0;
  }
  Held<kHeld, kVector> held;
  held.load(logits + row, width, thread, threads);
  bool found = false;  // the same in all threads
  float threshold = 0;
  if (group > 0) {
    const float most = held.largest(group);
    if (thread % group == 0) shared.maxima[thread / group] = most;
    __syncthreads();
    lower_to_ranked(shared.maxima, threads / group, top_k, &shared.floor_key);
    __syncthreads();
    held.gather(from_ordered(shared.floor_key), shared.candidates, kMostCandidates, &shared.found);
    __syncthreads();
    found = shared.found <= kMostCandidates;
    if (found) {
      lower_to_ranked(shared.candidates, shared.found, top_k, &shared.threshold_key);
      __syncthreads();
      threshold = from_ordered(shared.threshold_key);
    }
  } else {
    __syncthreads();
  }
  if (!found) {
    threshold = threshold_by_bits(held, top_k, [&](int bit, int of_warp) {
      if (thread % 32 == 0) atomicAdd(&shared.counts[bit], of_warp);
      __syncthreads();
      return shared.counts[bit];
    });
  }
  held.store(out + row, width, thread, threads, threshold);
}

struct ClusterShared {
  float maxima[kClusterBlocks * kMostThreads / 8];  ///< of all blocks
  float candidates[kMostClusterCandidates];         ///< of this block
  float all[kClusterBlocks * kMostClusterCandidates];
  int counts[32];  ///< of each bit, over all blocks
  std::uint32_t floor_key;
  std::uint32_t threshold_key;
  int found;  ///< candidates of this block
};

/// One cluster of blocks of kMostThreads per row. Maxima are sent to all blocks and candidates are
/// read by all, so each block finds the same threshold.
template <int kHeld, bool kVector>
__global__ void __launch_bounds__(kMostThreads)
    filter_cluster_kernel(const float* logits, float* out, int width, int top_k, int group) {
#if __CUDA_ARCH__ >= 900
  __shared__ ClusterShared shared;
  const cg::cluster_group cluster = cg::this_cluster();
  const int block = static_cast<int>(cluster.block_rank());
  const int lane = threadIdx.x % 32;
  constexpr int kThreads = kClusterBlocks * kMostThreads;
  const int thread = block * kMostThreads + static_cast<int>(threadIdx.x);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x / kClusterBlocks) * width;
  if (threadIdx.x < 32) shared.counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    shared.floor_key = kNoKey;
    shared.threshold_key = kNoKey;
    shared.found = 0;
  }
  // The blocks synchronise before one writes into another, while the row is being loaded.
  cluster.barrier_arrive();
  Held<kHeld, kVector> held;
  held.load(logits + row, width, thread, kThreads);
  bool found = false;  // the same in all threads of the cluster
  float threshold = 0;
  const float most = held.largest(max(group, 1));
  cluster.barrier_wait();
  if (group > 0) {
    for (int to = lane % group; to < kClusterBlocks; to += group) {
      cluster.map_shared_rank(&shared, to)->maxima[thread / group] = most;
    }
    cluster.sync();
    lower_to_ranked(shared.maxima, kThreads / group, top_k, &shared.floor_key);
    __syncthreads();
    held.gather(from_ordered(shared.floor_key), shared.candidates, kMostClusterCandidates,
                &shared.found);
    cluster.sync();
    // Eight lanes read the counts; 128 threads read the candidates of one block.
    static_assert(kClusterBlocks * kMostClusterCandidates == kMostThreads);
    const int from = static_cast<int>(threadIdx.x) / kMostClusterCandidates;
    const int index = static_cast<int>(threadIdx.x) % kMostClusterCandidates;
    const ClusterShared* theirs = cluster.map_shared_rank(&shared, from);
    const float candidate = theirs->candidates[index];
    const int of_lane = cluster.map_shared_rank(&shared, lane % kClusterBlocks)->found;
    int before = 0;
    int all = 0;
    int own = 0;
    found = true;
#pragma unroll
    for (int other = 0; other < kClusterBlocks; ++other) {
      const int count = __shfl_sync(kAllLanes, of_lane, other);
      if (count > kMostClusterCandidates) found = false;
      if (other < from) before += count;
      if (other == from) own = count;
      all += count;
    }
    if (found && index < own) shared.all[before + index] = candidate;
    cluster.sync();  // `all` is complete, and no block reads from another any more
    if (found) {
      lower_to_ranked(shared.all, all, top_k, &shared.threshold_key);
      __syncthreads();
      threshold = from_ordered(shared.threshold_key);
    }
  }
  if (!found) {
    threshold = threshold_by_bits(held, top_k, [&](int bit, int of_warp) {
      if (lane < kClusterBlocks) {
        atomicAdd(&cluster.map_shared_rank(&shared, lane)->counts[bit], of_warp);
      }
      cluster.sync();
      return shared.counts[bit];
    });
  }
  held.store(out + row, width, thread, kThreads, threshold);
#endif
}

/// One block per row of any width; each pass reads the row again.
__global__ void __launch_bounds__(kMostThreads)
    filter_wide_kernel(const float* logits, float* out, int width, int top_k) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * width;
  const float threshold = from_ordered(threshold_by_bins(logits + first, width, top_k));
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const float value = __ldg(logits + first + i);
    __stcs(out + first + i, value >= threshold ? value : -INFINITY);
  }
}

struct Filter {
  const float* logits;
  float* out;
  std::int64_t rows;
  int width;
  int top_k;
  cudaStream_t stream;
};

/// As few groups as keep the candidates few: a quarter more than top_k.
int lanes_in_group(int threads, int top_k) {
  if (top_k > kMostTopK || top_k > threads) return 0;
  int group = 1;
  while (group < 32 && threads / (group * 2) >= top_k + top_k / 4) group *= 2;
  return group;
}

template <int kHeld>
int launch_blocks(const Filter& job) {
  const int threads = ((job.width + kHeld - 1) / kHeld + 31) / 32 * 32;
  const auto run = [&](auto kernel) {
    kernel<<<static_cast<unsigned>(job.rows), static_cast<unsigned>(threads), 0, job.stream>>>(
        job.logits, job.out, job.width, job.top_k, lanes_in_group(threads, job.top_k));
    return launched();
  };
  return job.width % 4 == 0 ? run(filter_row_kernel<kHeld, true>)
                            : run(filter_row_kernel<kHeld, false>);
}

template <int kHeld>
int launch_clusters(const Filter& job) {
  cudaLaunchAttribute of_cluster = {};
  of_cluster.id = cudaLaunchAttributeClusterDimension;
  of_cluster.val.clusterDim.x = kClusterBlocks;
  of_cluster.val.clusterDim.y = 1;
  of_cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(job.rows * kClusterBlocks));
  config.blockDim = dim3(kMostThreads);
  config.stream = job.stream;
  config.attrs = &of_cluster;
  config.numAttrs = 1;
  const int group = lanes_in_group(kClusterBlocks * kMostThreads, job.top_k);
  const auto run = [&](auto kernel) {
    cudaLaunchKernelEx(&config, kernel, job.logits, job.out, job.width, job.top_k, group);
    return launched();
  };
  return job.width % 4 == 0 ? run(filter_cluster_kernel<kHeld, true>)
                            : run(filter_cluster_kernel<kHeld, false>);
}

}  // namespace

int topk_filter(const tactus_call* call) {
  const tactus_tensor* logits = tactus_input(call, "logits");
  const std::int64_t rows = logits->shape[0];
  const std::int64_t width = logits->shape[1];
  if (rows == 0 || width == 0) return 0;
  if (rows > 0x7fffffff / kClusterBlocks || width > 0x7fffffff / 2) return kShapeNotSupported;
  const auto wanted = static_cast<std::int64_t>(tactus_value(call, "top_k", 50));
  const Filter job = {input<float>(call, "logits"),
                      output<float>(call, "out"),
                      rows,
                      static_cast<int>(width),
                      static_cast<int>(std::clamp<std::int64_t>(wanted, 1, width)),
                      stream_of(call)};
  // Few numbers per thread if all rows run at once anyway, many if there are more rows.
  constexpr std::int64_t kThreadsAtOnce = 132 * 2048;
  if (width <= 8 * kMostThreads && rows * width <= 8 * kThreadsAtOnce) return launch_blocks<8>(job);
  if (width <= 16 * kMostThreads) return launch_blocks<16>(job);
  if (has_clusters(call)) {
    constexpr std::int64_t kThreads = std::int64_t{kClusterBlocks} * kMostThreads;
    if (width <= 8 * kThreads) return launch_clusters<8>(job);
    if (width <= 20 * kThreads) return launch_clusters<20>(job);
    if (width <= 32 * kThreads) return launch_clusters<32>(job);
  }
  filter_wide_kernel<<<static_cast<unsigned>(rows), kMostThreads, 0, job.stream>>>(
      job.logits, job.out, job.width, job.top_k);
  return launched();
}

}  // namespace tactus::cuda
