#include "operators/cuda/entries.h"
#include "operators/cuda/generic.cuh"

namespace tactus::cuda {
namespace {

// sum, mean, max over the last axis of a matrix, or over its first. The terms of a result are cut
// into parts, one block (or one thread per column) each, so that few results keep the GPU busy too;
// a second kernel joins the parts. Which part has which terms does not depend on the GPU.

struct Adding {
  static constexpr float kStart = 0;
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct KeepingLargest {
  static constexpr float kStart = -INFINITY;
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

constexpr std::int64_t kTermsOfPart = 8192;  // of a row: 32 per thread
constexpr std::int64_t kRowsOfPart = 64;     // of a column

struct Sizes {
  std::int64_t rows, columns;
  bool over_first;

  explicit Sizes(const tactus_call* call)
      : rows(tactus_input(call, "x")->shape[0]),
        columns(tactus_input(call, "x")->shape[1]),
        over_first(tactus_value(call, "first", 0) != 0) {}

  std::int64_t results() const { return over_first ? columns : rows; }
  std::int64_t terms() const { return over_first ? rows : columns; }
  std::int64_t parts() const {
    const std::int64_t of_part = over_first ? kRowsOfPart : kTermsOfPart;
    return (terms() + of_part - 1) / of_part;
  }
};

/// A block per part of a row; parts[row * gridDim.y + part].
template <class T, int Count, class How>
__global__ void __launch_bounds__(kBlockThreads)
    row_kernel(const T* x, std::int64_t columns, float* parts) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kTermsOfPart;
  const std::int64_t end = min(columns, first + kTermsOfPart);
  const T* row = x + static_cast<std::int64_t>(blockIdx.x) * columns;
  const How how;
  float so_far = How::kStart;
  for (std::int64_t i = first + threadIdx.x * Count; i < end; i += kBlockThreads * Count) {
    const auto pack = *reinterpret_cast<const Pack<T, Count>*>(row + i);
#pragma unroll
    for (int k = 0; k < Count; ++k) so_far = how(so_far, as_float(pack.at[k]));
  }
  so_far = BlockTeam().reduce(so_far, how);
  if (threadIdx.x == 0) {
    parts[static_cast<std::int64_t>(blockIdx.x) * gridDim.y + blockIdx.y] = so_far;
  }
}

/// A thread per column and part of its rows; parts[part * columns + column].
template <class T, class How>
__global__ void __launch_bounds__(kBlockThreads)
    column_kernel(const T* x, std::int64_t rows, std::int64_t columns, float* parts) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (column >= columns) return;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kRowsOfPart;
  const std::int64_t end = min(rows, first + kRowsOfPart);
  const How how;
  float so_far = How::kStart;
#pragma unroll 8
  for (std::int64_t row = first; row < end; ++row) {
    so_far = how(so_far, as_float(x[row * columns + column]));
  }
  parts[blockIdx.y * columns + column] = so_far;
}

/// out[i] = factor times all parts of result i, which are `apart` from each other.
template <class T, class How>
__global__ void __launch_bounds__(kBlockThreads)
    join_kernel(const float* parts, std::int64_t results, std::int64_t count,
                std::int64_t of_result, std::int64_t apart, float factor, T* out) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (i >= results) return;
  const How how;
  float so_far = How::kStart;
  for (std::int64_t part = 0; part < count; ++part) {
    so_far = how(so_far, parts[i * of_result + part * apart]);
  }
  out[i] = as<T>(so_far * factor);
}

template <class T, class How>
int reduce(const tactus_call* call, float factor) {
  constexpr std::int64_t kMostBlocksDown = 65535;  // of the second dimension of a grid
  const Sizes s(call);
  const std::int64_t count = s.parts();
  if (count > kMostBlocksDown || !fits_divisor(s.rows) || !fits_divisor(s.columns)) {
    return kShapeNotSupported;
  }
  const auto* x = input<T>(call, "x");
  auto* parts = static_cast<float*>(call->workspace);
  const auto down = static_cast<unsigned>(count);
  if (s.over_first) {
    column_kernel<T, How>
        <<<dim3(blocks_for(s.columns, kBlockThreads), down), kBlockThreads, 0, stream_of(call)>>>(
            x, s.rows, s.columns, parts);
  } else {
    const dim3 grid(static_cast<unsigned>(s.rows), down);
    if (s.columns % kPacked<T> == 0) {
      row_kernel<T, kPacked<T>, How>
          <<<grid, kBlockThreads, 0, stream_of(call)>>>(x, s.columns, parts);
    } else {
      row_kernel<T, 1, How><<<grid, kBlockThreads, 0, stream_of(call)>>>(x, s.columns, parts);
    }
  }
  join_kernel<T, How>
      <<<blocks_for(s.results(), kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
          parts, s.results(), count, s.over_first ? 1 : count, s.over_first ? s.columns : 1, factor,
          output<T>(call, "out"));
  return launched();
}

template <class How>
int reduce_any(const tactus_call* call, float factor) {
  return with_number(tactus_input(call, "x")->dtype,
                     [&](auto number) { return reduce<decltype(number), How>(call, factor); });
}

}  // namespace

size_t reduce_workspace(const tactus_call* call) {
  const Sizes s(call);
  return static_cast<size_t>(s.results() * s.parts()) * sizeof(float);
}

int plain_sum(const tactus_call* call) {
  return reduce_any<Adding>(call, 1);
}
int plain_mean(const tactus_call* call) {
  return reduce_any<Adding>(call, 1 / static_cast<float>(Sizes(call).terms()));
}
int plain_max(const tactus_call* call) {
  return reduce_any<KeepingLargest>(call, 1);
}

}  // namespace tactus::cuda
