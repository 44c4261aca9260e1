#include "operators/cuda/common.cuh"
#include "operators/cuda/entries.h"

namespace tactus::cuda {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kSortThreads = 1024;
constexpr int kSortWarps = kSortThreads / 32;
constexpr int kMostExperts = 256;

/// Sorts slots by expert, stable, in one block: every warp has a stretch of the slots and counts
/// its experts, sums over experts and warps give each its first place, and the warps write theirs
/// in order. With a block size, experts begin at whole blocks and the gaps are filled.
struct SlotSort {
  const std::int32_t* ids;
  std::int32_t slots;
  std::int32_t experts;
  std::int32_t block;  ///< 1: no padding
  std::int32_t* sorted;
  std::int32_t* counts;         ///< may be null
  std::int32_t* sums;           ///< may be null
  std::int32_t* block_experts;  ///< may be null
  std::int32_t* padded_length;  ///< may be null
};

__global__ void __launch_bounds__(kSortThreads) sort_kernel(SlotSort job) {
  __shared__ std::int32_t places[kSortWarps][kMostExperts];
  __shared__ std::int32_t starts[kMostExperts + 1];
  __shared__ std::int32_t totals[kMostExperts];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < kSortWarps * kMostExperts; i += kSortThreads) {
    (&places[0][0])[i] = 0;
  }
  __syncthreads();
  const int stretch = (job.slots + kSortWarps * 32 - 1) / (kSortWarps * 32) * 32;
  const int begin = min(job.slots, warp * stretch);
  const int end = min(job.slots, begin + stretch);
  for (int i = begin + lane; i < end; i += 32) atomicAdd(&places[warp][job.ids[i]], 1);
  __syncthreads();
  // Counts become the place within the expert at which each warp begins.
  for (int e = threadIdx.x; e < job.experts; e += kSortThreads) {
    std::int32_t sum = 0;
    for (int w = 0; w < kSortWarps; ++w) {
      const std::int32_t count = places[w][e];
      places[w][e] = sum;
      sum += count;
    }
    totals[e] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    std::int32_t before = 0;
    for (int first = 0; first < job.experts; first += 32) {
      const int e = first + lane;
      const std::int32_t count = e < job.experts ? totals[e] : 0;
      const std::int32_t length = (count + job.block - 1) / job.block * job.block;
      std::int32_t sum = length;
      for (int step = 1; step < 32; step *= 2) {
        const std::int32_t other = __shfl_up_sync(kAllLanes, sum, step);
        if (lane >= step) sum += other;
      }
      if (e < job.experts) starts[e] = before + sum - length;
      before += __shfl_sync(kAllLanes, sum, 31);
    }
    if (lane == 0) starts[job.experts] = before;
  }
  __syncthreads();
  for (int first = begin; first < end; first += 32) {
    const int i = first + lane;
    const bool there = i < end;
    const int e = there ? job.ids[i] : -1;
    const unsigned same = __match_any_sync(kAllLanes, e);
    const int rank = __popc(same & ((1u << lane) - 1));
    if (there) job.sorted[starts[e] + places[warp][e] + rank] = i;
    __syncwarp();
    if (there && rank == 0) places[warp][e] += __popc(same);
    __syncwarp();
  }
  for (int e = threadIdx.x; e < job.experts; e += kSortThreads) {
    if (job.counts != nullptr) job.counts[e] = totals[e];
    if (job.sums != nullptr) job.sums[e] = starts[e];
  }
  if (job.sums != nullptr && threadIdx.x == 0) job.sums[job.experts] = starts[job.experts];
  if (job.block_experts == nullptr) return;
  for (int e = warp; e < job.experts; e += kSortWarps) {
    const int last = starts[e + 1];
    for (int i = starts[e] + totals[e] + lane; i < last; i += 32) job.sorted[i] = job.slots;
    for (int b = starts[e] / job.block + lane; b < last / job.block; b += 32) {
      job.block_experts[b] = e;
    }
  }
  if (threadIdx.x == 0) *job.padded_length = starts[job.experts];
}

int sort_slots(const tactus_call* call, SlotSort job) {
  const tactus_tensor* ids = tactus_input(call, "topk_ids");
  const std::int64_t slots = ids->shape[0] * ids->shape[1];
  job.ids = input<std::int32_t>(call, "topk_ids");
  job.slots = static_cast<std::int32_t>(slots);
  job.experts = static_cast<std::int32_t>(tactus_value(call, "experts", 0));
  job.sorted = output<std::int32_t>(call, "sorted_token_ids");
  if (job.experts < 1 || job.experts > kMostExperts || slots > 0x7fffffff)
    return kShapeNotSupported;
  sort_kernel<<<1, kSortThreads, 0, stream_of(call)>>>(job);
  return launched();
}

/// A warp per token: softmax over the experts, then top_k times the largest that is left.
template <int kPerLane>
__global__ void __launch_bounds__(kBlockThreads)
    gating_kernel(const float* gating, float* weights, std::int32_t* ids, std::int64_t tokens,
                  int top_k) {
  const std::int64_t token =
      (static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x) / 32;
  if (token >= tokens) return;
  const int lane = threadIdx.x % 32;
  const float4* row = reinterpret_cast<const float4*>(gating + token * kPerLane * 32);
  float values[kPerLane];
#pragma unroll
  for (int j = 0; j < kPerLane / 4; ++j) {
    const float4 four = __ldcs(row + j * 32 + lane);
    values[4 * j] = four.x;
    values[4 * j + 1] = four.y;
    values[4 * j + 2] = four.z;
    values[4 * j + 3] = four.w;
  }
  float largest = values[0];
#pragma unroll
  for (int i = 1; i < kPerLane; ++i) largest = fmaxf(largest, values[i]);
  for (int step = 16; step > 0; step /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, step));
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    values[i] = expf(values[i] - largest);
    sum += values[i];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
  const float inverse = 1.0f / sum;
  for (int k = 0; k < top_k; ++k) {
    float best = -1;
    int at = 0;
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      if (values[i] > best) {
        best = values[i];
        at = i;
      }
    }
    int id = (at / 4 * 32 + lane) * 4 + at % 4;
    for (int step = 16; step > 0; step /= 2) {
      const float other = __shfl_xor_sync(kAllLanes, best, step);
      const int other_id = __shfl_xor_sync(kAllLanes, id, step);
      if (other > best || (other == best && other_id < id)) {
        best = other;
        id = other_id;
      }
    }
    if (lane == 0) {
      weights[token * top_k + k] = best * inverse;
      ids[token * top_k + k] = id;
    }
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      if ((i / 4 * 32 + lane) * 4 + i % 4 == id) values[i] = -2;
    }
  }
}

/// Bits in the order of the numbers: larger numbers have larger keys.
__device__ std::uint32_t ordered(float value) {
  const std::uint32_t bits = __float_as_uint(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

constexpr int kFilterThreads = 1024;
constexpr int kBins = 2048;

/// The key of the top_k-th largest number, by three looks at ever lower bits (11, 11, 10).
template <class Number>
__device__ std::uint32_t threshold_key(const Number& number, int count, int top_k,
                                       std::int32_t* bins) {
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
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
      const std::uint32_t key = ordered(number(i));
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

/// A block per row, which is kept in shared memory where it fits.
template <bool kKept>
__global__ void __launch_bounds__(kFilterThreads)
    filter_kernel(const float* logits, float* out, int width, int top_k) {
  extern __shared__ float kept[];
  __shared__ std::int32_t bins[kBins];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * width;
  const float* row = logits + first;
  if (kKept) {
    for (int i = threadIdx.x; i < width; i += blockDim.x) kept[i] = __ldcs(row + i);
    __syncthreads();
  }
  const auto number = [&](int i) { return kKept ? kept[i] : __ldg(row + i); };
  const std::uint32_t threshold = threshold_key(number, width, top_k, bins);
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const float value = number(i);
    __stcs(out + first + i, ordered(value) >= threshold ? value : -INFINITY);
  }
}

}  // namespace

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

int moe_topk_gating_softmax(const tactus_call* call) {
  const tactus_tensor* gating = tactus_input(call, "gating");
  const std::int64_t tokens = gating->shape[0];
  const auto top_k = static_cast<int>(tactus_value(call, "top_k", 8));
  const auto blocks = static_cast<unsigned>((tokens * 32 + kBlockThreads - 1) / kBlockThreads);
  const auto run = [&](auto kernel) {
    kernel<<<blocks, kBlockThreads, 0, stream_of(call)>>>(
        input<float>(call, "gating"), output<float>(call, "topk_weights"),
        output<std::int32_t>(call, "topk_ids"), tokens, top_k);
    return launched();
  };
  if (gating->shape[1] == 128) return run(gating_kernel<4>);
  if (gating->shape[1] == 256) return run(gating_kernel<8>);
  if (gating->shape[1] == 512) return run(gating_kernel<16>);
  return kShapeNotSupported;
}

int topk_filter(const tactus_call* call) {
  const tactus_tensor* logits = tactus_input(call, "logits");
  constexpr std::int64_t kKeptNumbers = 8192;  // 32 KB, so that several blocks share a processor
  const auto rows = static_cast<unsigned>(logits->shape[0]);
  const auto width = static_cast<int>(logits->shape[1]);
  const auto top_k = static_cast<int>(tactus_value(call, "top_k", 50));
  if (width <= kKeptNumbers) {
    filter_kernel<true>
        <<<rows, 512, static_cast<std::size_t>(width) * sizeof(float), stream_of(call)>>>(
            input<float>(call, "logits"), output<float>(call, "out"), width, top_k);
  } else {
    filter_kernel<false><<<rows, kFilterThreads, 0, stream_of(call)>>>(
        input<float>(call, "logits"), output<float>(call, "out"), width, top_k);
  }
  return launched();
}

}  // namespace tactus::cuda
