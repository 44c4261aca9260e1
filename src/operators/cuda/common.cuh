#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "tactus/operator.h"

// What our CUDA kernels share: eight numbers of 16 bits at a time (16 bytes, the widest load there
// is), sums over the threads of a row, and the launch itself.

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

/// Eight numbers as they lie in memory.
template <class T>
struct alignas(16) Wide {
  T at[kWide];
};

/// Read once, never again: leaves the caches to others.
template <class T>
__device__ inline Wide<T> load_once(const T* from) {
  const int4 bits = __ldcs(reinterpret_cast<const int4*>(from));
  return *reinterpret_cast<const Wide<T>*>(&bits);
}
template <class T>
__device__ inline Wide<T> load(const T* from) {
  const int4 bits = __ldg(reinterpret_cast<const int4*>(from));
  return *reinterpret_cast<const Wide<T>*>(&bits);
}
template <class T>
__device__ inline void store(T* to, const Wide<T>& wide) {
  __stcs(reinterpret_cast<int4*>(to), *reinterpret_cast<const int4*>(&wide));
}

/// fp8 with a largest number of 240 (bias 8): the bits of e4m3 with twice the value, except that
/// what lies above 232 is 240 and that there is no negative zero. |value| must be at most 240.
__device__ inline std::uint8_t to_fnuz(float value) {
  const float magnitude = fabsf(value);
  const std::uint8_t sign = value < 0 ? 0x80 : 0;
  std::uint8_t bits = magnitude > 232.0f ? std::uint8_t{0x7f}
                                         : static_cast<std::uint8_t>(__nv_cvt_float_to_fp8(
                                               2 * magnitude, __NV_SATFINITE, __NV_E4M3));
  return bits == 0 ? 0 : bits | sign;
}
__device__ inline std::uint8_t to_e4m3(float value) {
  return static_cast<std::uint8_t>(__nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3));
}

__device__ inline float silu(float x) {
  return x / (1.0f + __expf(-x));
}

/// Sums and largest values over the `Threads` threads that share a row. Rows of more than a warp
/// meet in shared memory, so every thread of the block must take part.
template <int Threads>
struct RowTeam {
  int lane;  ///< within the row
  int slot;  ///< of the row within the block

  __device__ RowTeam() : lane(threadIdx.x % Threads), slot(threadIdx.x / Threads) {}

  template <class Combine>
  __device__ float reduce(float value, const Combine& combine) const {
    constexpr int kInWarp = Threads < 32 ? Threads : 32;
    for (int step = kInWarp / 2; step > 0; step /= 2) {
      value = combine(value, __shfl_xor_sync(0xffffffffu, value, step));
    }
    if constexpr (Threads > 32) {
      constexpr int kWarps = Threads / 32;
      __shared__ float parts[32];
      __syncthreads();  // a sum before may still be read
      if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
      __syncthreads();
      value = parts[slot * kWarps];
      for (int i = 1; i < kWarps; ++i) value = combine(value, parts[slot * kWarps + i]);
    }
    return value;
  }
  __device__ float sum(float value) const {
    return reduce(value, [](float a, float b) { return a + b; });
  }
  __device__ float largest(float value) const {
    return reduce(value, [](float a, float b) { return fmaxf(a, b); });
  }
};

inline constexpr int kBlockThreads = 256;

/// Rows of `Held * Threads` wide vectors at most, `Threads` threads each; rows beyond the last take
/// part in sums with zeros.
template <int Threads, int Held, class Body>
__global__ void __launch_bounds__(Threads > kBlockThreads ? Threads : kBlockThreads)
    row_kernel(Body body, std::int64_t rows, int vectors) {
  const RowTeam<Threads> team;
  constexpr int kRows = (Threads > kBlockThreads ? Threads : kBlockThreads) / Threads;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRows + team.slot;
  body.template row<Threads, Held>(team, row, row < rows, vectors);
}

template <int Threads, int Held, class Body>
int launch_rows(const Body& body, std::int64_t rows, int vectors, cudaStream_t stream) {
  constexpr int kBlock = Threads > kBlockThreads ? Threads : kBlockThreads;
  constexpr int kRows = kBlock / Threads;
  const std::int64_t blocks = (rows + kRows - 1) / kRows;
  if (blocks > 0x7fffffff) return kShapeNotSupported;
  row_kernel<Threads, Held>
      <<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(body, rows, vectors);
  return launched();
}

/// Chooses how many threads share a row of `width` numbers: two wide vectors each where it can be.
template <class Body>
int for_rows(const Body& body, std::int64_t rows, std::int64_t width, cudaStream_t stream) {
  if (width % kWide != 0) return kShapeNotSupported;
  if (rows == 0) return 0;
  const auto vectors = static_cast<int>(width / kWide);
  if (vectors <= 16) return launch_rows<16, 1>(body, rows, vectors, stream);
  if (vectors <= 32) return launch_rows<32, 1>(body, rows, vectors, stream);
  if (vectors <= 64) return launch_rows<32, 2>(body, rows, vectors, stream);
  if (vectors <= 128) return launch_rows<64, 2>(body, rows, vectors, stream);
  if (vectors <= 192) return launch_rows<64, 3>(body, rows, vectors, stream);
  if (vectors <= 256) return launch_rows<128, 2>(body, rows, vectors, stream);
  if (vectors <= 512) return launch_rows<256, 2>(body, rows, vectors, stream);
  if (vectors <= 1024) return launch_rows<512, 2>(body, rows, vectors, stream);
  if (vectors <= 4096) return launch_rows<1024, 4>(body, rows, vectors, stream);
  return kShapeNotSupported;
}

}  // namespace tactus::cuda
