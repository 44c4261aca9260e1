#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "tactus/operator.h"

// Code that our CUDA kernels share: eight 16-bit numbers at a time (16 bytes, the widest load),
// sums over the threads of a row, and the launch itself.

namespace tactus::cuda {

inline constexpr int kWide = 8;  ///< 16-bit numbers in 16 bytes

template <class T>
inline const T* input(const tactus_call* call, const char* name) {
  return static_cast<const T*>(tactus_input(call, name)->data);
}
template <class T>
inline T* output(const tactus_call* call, const char* name) {
  return static_cast<T*>(tactus_output(call, name)->data);
}
inline cudaStream_t stream_of(const tactus_call* call) {
  return static_cast<cudaStream_t>(call->stream);
}

inline constexpr int kShapeNotSupported = TACTUS_UNSUPPORTED;

inline int launched() {
  return static_cast<int>(cudaGetLastError());
}

__device__ inline float as_float(__nv_bfloat16 value) {
  return __bfloat162float(value);
}
__device__ inline float as_float(__half value) {
  return __half2float(value);
}
template <class T>
__device__ inline T as(float value);
template <>
__device__ inline __nv_bfloat16 as<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}
template <>
__device__ inline __half as<__half>(float value) {
  return __float2half_rn(value);
}

/// Eight numbers as in memory.
template <class T>
struct alignas(16) Wide {
  T at[kWide];
};

/// One instruction rounds two numbers.
__device__ inline __nv_bfloat162 rounded_pair(const __nv_bfloat16*, float a, float b) {
  return __floats2bfloat162_rn(a, b);
}
__device__ inline __half2 rounded_pair(const __half*, float a, float b) {
  return __floats2half2_rn(a, b);
}

/// Eight numbers, rounded.
template <class T>
__device__ inline Wide<T> rounded(const float (&values)[kWide]) {
  Wide<T> wide;
#pragma unroll
  for (int i = 0; i < kWide; i += 2) {
    const auto pair = rounded_pair(wide.at, values[i], values[i + 1]);
    wide.at[i] = pair.x;
    wide.at[i + 1] = pair.y;
  }
  return wide;
}

/// make(i) for each of eight, rounded.
template <class T, class Make>
__device__ inline Wide<T> each_rounded(const Make& make) {
  float values[kWide];
#pragma unroll
  for (int i = 0; i < kWide; ++i) values[i] = make(i);
  return rounded<T>(values);
}

template <class T>
__device__ inline Wide<T> sum_of(const Wide<T>& a, const Wide<T>& b) {
  return each_rounded<T>([&](int i) { return as_float(a.at[i]) + as_float(b.at[i]); });
}

/// For data that no other block reads; the kernel may write it later.
template <class T>
__device__ inline Wide<T> load_own(const T* from) {
  const int4 bits = *reinterpret_cast<const int4*>(from);
  return *reinterpret_cast<const Wide<T>*>(&bits);
}
/// Leaves the caches to others. It pays for kernels that mostly read; kernels that write as much
/// become about 5% slower on an H200.
template <class T>
__device__ inline Wide<T> load_once(const T* from) {
  const int4 bits = __ldcs(reinterpret_cast<const int4*>(from));
  return *reinterpret_cast<const Wide<T>*>(&bits);
}
/// For data that the kernel never writes.
template <class T>
__device__ inline Wide<T> load(const T* from) {
  const int4 bits = __ldg(reinterpret_cast<const int4*>(from));
  return *reinterpret_cast<const Wide<T>*>(&bits);
}
/// For data that the next kernel reads: it may stay in the cache.
template <class T>
__device__ inline void store(T* to, const Wide<T>& wide) {
  *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(&wide);
}

/// Division by a number that the host knows, for numerators below 2^31: a product and a shift
/// instead of about twenty instructions (a hundred for 64 bits). A small kernel spends most of its
/// time on fetching its code.
struct Divisor {
  unsigned by;
  unsigned factor;
  unsigned shift = 0;

  explicit Divisor(std::int64_t divisor) : by(static_cast<unsigned>(divisor)) {
    while ((1ull << shift) < by) ++shift;
    factor = static_cast<unsigned>((1ull << 32) * ((1ull << shift) - by) / by + 1);
  }
  __device__ unsigned operator()(unsigned value) const {
    return (__umulhi(value, factor) + value) >> shift;
  }
};

inline bool fits_divisor(std::int64_t value) {
  return value < 0x7fffffff;
}

inline unsigned blocks_for(std::int64_t threads, int of_block) {
  return static_cast<unsigned>((threads + of_block - 1) / of_block);
}

/// 1 / (1 + exp(-x)), to some units in the last place; without the special code for numbers below
/// 1e-38 that makes the usual functions three times as long.
__device__ inline float sigmoid(float x) {
  float power;
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * -1.44269504f));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(1.0f + power));
  return result;
}
__device__ inline float silu(float x) {
  return x * sigmoid(x);
}

inline constexpr int kBlockThreads = 256;

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <int Lanes, class Combine>
__device__ inline float over_lanes(float value, const Combine& combine) {
#pragma unroll
  for (int step = Lanes / 2; step > 0; step /= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, step));
  }
  return value;
}

/// The threads of a row: one warp, or a part of a warp.
template <int Threads>
struct LaneTeam {
  __device__ int lane() const { return threadIdx.x % Threads; }
  __device__ int threads() const { return Threads; }
  template <class Combine>
  __device__ float reduce(float value, const Combine& combine) const {
    return over_lanes<Threads>(value, combine);
  }
};

/// The threads of a row that has its own block. Every thread takes part in a sum.
struct BlockTeam {
  mutable int turn = 0;  ///< sums use two places in turn, so one barrier each is enough

  __device__ int lane() const { return threadIdx.x; }
  __device__ int threads() const { return blockDim.x; }
  template <class Combine>
  __device__ float reduce(float value, const Combine& combine) const {
    __shared__ float parts[2][32];
    value = over_lanes<32>(value, combine);
    float* part = parts[turn & 1];
    ++turn;
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
    __syncthreads();
    const int warps = blockDim.x / 32;
    value = part[0];
    for (int i = 1; i < warps; ++i) value = combine(value, part[i]);
    return value;
  }
};

/// `Held` wide vectors of a row, as in memory; zero beyond its end, so that sums are right.
template <class T, int Held>
struct HeldRow {
  Wide<T> at[Held];

  template <class Team>
  __device__ static HeldRow take(const T* from, const Team& team, bool there, int vectors) {
    HeldRow row;
#pragma unroll
    for (int j = 0; j < Held; ++j) {
      const int vector = team.lane() + j * team.threads();
      row.at[j] = {};
      if (there && vector < vectors) row.at[j] = load_own(from + vector * kWide);
    }
    return row;
  }
};

/// The weights of a row's columns: loaded `Together` with the row itself, or when they are needed,
/// which takes fewer registers.
template <class T, int Held, bool Together>
struct RowWeights {
  const T* from;
  Wide<T> at[Together ? Held : 1];

  template <class Team>
  __device__ static RowWeights ask(const T* from, const Team& team, bool there, int vectors) {
    RowWeights weights;
    weights.from = from;
    if constexpr (Together) {
#pragma unroll
      for (int j = 0; j < Held; ++j) {
        const int vector = team.lane() + j * team.threads();
        if (there && vector < vectors) weights.at[j] = load(from + vector * kWide);
      }
    }
    return weights;
  }
  __device__ Wide<T> of(int j, int column) const {
    if constexpr (Together) return at[j];
    return load(from + column);
  }
};

/// Calls visit(j, column) for each vector that this thread has of a row; column counts from its
/// start.
template <int Held, class Team, class Visit>
__device__ inline void each_vector(const Team& team, bool there, int vectors, const Visit& visit) {
#pragma unroll
  for (int j = 0; j < Held; ++j) {
    const int vector = team.lane() + j * team.threads();
    if (there && vector < vectors) visit(j, vector * kWide);
  }
}

template <class T, int Held>
__device__ inline float squares(const HeldRow<T, Held>& row) {
  float sum = 0;
#pragma unroll
  for (int j = 0; j < Held; ++j) {
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      const float value = as_float(row.at[j].at[i]);
      sum += value * value;
    }
  }
  return sum;
}

}  // namespace tactus::cuda
