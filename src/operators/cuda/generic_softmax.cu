#include "operators/cuda/entries.h"
#include "operators/cuda/generic.cuh"

namespace tactus::cuda {
namespace {

// softmax of each row: its largest number, the sum of e^(x - largest), the quotients. A row is read
// three times; the second and third time it comes from a cache.

constexpr int kWarp = 32;
constexpr int kLongRowThreads = 1024;
constexpr std::int64_t kOfWarp = 1024;   // numbers: a warp does so short a row alone
constexpr std::int64_t kOfBlock = 8192;  // longer rows have more threads

template <class T, int Count, class Team>
__device__ void softmax_row(const T* x, T* out, std::int64_t columns, const Team& team) {
  const std::int64_t first = static_cast<std::int64_t>(team.lane()) * Count;
  const std::int64_t step = static_cast<std::int64_t>(team.threads()) * Count;
  const auto pack_at = [x](std::int64_t i) {
    return *reinterpret_cast<const Pack<T, Count>*>(x + i);
  };
  float largest = -INFINITY;
  for (std::int64_t i = first; i < columns; i += step) {
    const auto pack = pack_at(i);
#pragma unroll
    for (int k = 0; k < Count; ++k) largest = fmaxf(largest, as_float(pack.at[k]));
  }
  largest = team.reduce(largest, Larger());
  float sum = 0;
  for (std::int64_t i = first; i < columns; i += step) {
    const auto pack = pack_at(i);
#pragma unroll
    for (int k = 0; k < Count; ++k) sum += expf(as_float(pack.at[k]) - largest);
  }
  sum = team.reduce(sum, Add());
  for (std::int64_t i = first; i < columns; i += step) {
    auto pack = pack_at(i);
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      pack.at[k] = as<T>(expf(as_float(pack.at[k]) - largest) / sum);
    }
    *reinterpret_cast<Pack<T, Count>*>(out + i) = pack;
  }
}

template <class T, int Count>
__global__ void __launch_bounds__(kBlockThreads)
    short_rows_kernel(const T* x, T* out, std::int64_t rows, std::int64_t columns) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * (kBlockThreads / kWarp) + threadIdx.x / kWarp;
  if (row >= rows) return;  // all threads of the warp
  softmax_row<T, Count>(x + row * columns, out + row * columns, columns, LaneTeam<kWarp>());
}

template <class T, int Count>
__global__ void __launch_bounds__(kLongRowThreads)
    long_rows_kernel(const T* x, T* out, std::int64_t columns) {
  const std::int64_t row = blockIdx.x;
  softmax_row<T, Count>(x + row * columns, out + row * columns, columns, BlockTeam());
}

template <class T, int Count>
int launch(const tactus_call* call, std::int64_t rows, std::int64_t columns) {
  const auto* x = input<T>(call, "x");
  auto* out = output<T>(call, "out");
  if (columns <= kOfWarp) {
    short_rows_kernel<T, Count>
        <<<blocks_for(rows, kBlockThreads / kWarp), kBlockThreads, 0, stream_of(call)>>>(
            x, out, rows, columns);
  } else {
    const int threads = columns <= kOfBlock ? kBlockThreads : kLongRowThreads;
    long_rows_kernel<T, Count>
        <<<static_cast<unsigned>(rows), threads, 0, stream_of(call)>>>(x, out, columns);
  }
  return launched();
}

}  // namespace

int plain_softmax(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const std::int64_t rows = x->shape[0];
  const std::int64_t columns = x->shape[1];
  if (!fits_divisor(rows)) return kShapeNotSupported;
  return with_number(x->dtype, [&](auto number) {
    using T = decltype(number);
    if (columns % kPacked<T> == 0) return launch<T, kPacked<T>>(call, rows, columns);
    return launch<T, 1>(call, rows, columns);
  });
}

}  // namespace tactus::cuda
