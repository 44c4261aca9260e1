#include "operators/cuda/entries.h"
#include "operators/cuda/generic.cuh"

namespace tactus::cuda {
namespace {

/// How b meets the rows of a.
enum class Meets { kEachNumber, kEachRow, kWholeRow };

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Difference {
  __device__ float operator()(float a, float b) const { return a - b; }
};
struct Product {
  __device__ float operator()(float a, float b) const { return a * b; }
};
struct Quotient {
  __device__ float operator()(float a, float b) const { return __fdiv_rn(a, b); }
};

/// One pack of a per thread; `row_packs` of them are a row.
template <class T, int Count, Meets kMeets, class Function>
__global__ void __launch_bounds__(kBlockThreads)
    pair_kernel(const T* a, const T* b, T* out, unsigned packs, Divisor row_packs) {
  const unsigned i = blockIdx.x * kBlockThreads + threadIdx.x;
  if (i >= packs) return;
  const Pack<T, Count> left = reinterpret_cast<const Pack<T, Count>*>(a)[i];
  Pack<T, Count> right;
  if constexpr (kMeets == Meets::kWholeRow) {
    const T number = b[row_packs(i)];
    for (int k = 0; k < Count; ++k) right.at[k] = number;
  } else {
    const unsigned from = kMeets == Meets::kEachNumber ? i : i - row_packs(i) * row_packs.by;
    right = reinterpret_cast<const Pack<T, Count>*>(b)[from];
  }
  Pack<T, Count> result;
#pragma unroll
  for (int k = 0; k < Count; ++k) {
    result.at[k] = as<T>(Function()(as_float(left.at[k]), as_float(right.at[k])));
  }
  reinterpret_cast<Pack<T, Count>*>(out)[i] = result;
}

template <class T, int Count, Meets kMeets, class Function>
int launch(const tactus_call* call, std::int64_t columns) {
  const std::int64_t packs = elements_of(tactus_input(call, "a")) / Count;
  if (!fits_divisor(packs + kBlockThreads)) return kShapeNotSupported;
  pair_kernel<T, Count, kMeets, Function>
      <<<blocks_for(packs, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
          input<T>(call, "a"), input<T>(call, "b"), output<T>(call, "out"),
          static_cast<unsigned>(packs), Divisor(columns / Count));
  return launched();
}

template <class T, Meets kMeets, class Function>
int launch_packed(const tactus_call* call, std::int64_t columns) {
  if (columns % kPacked<T> == 0) return launch<T, kPacked<T>, kMeets, Function>(call, columns);
  return launch<T, 1, kMeets, Function>(call, columns);
}

template <class Function>
int pairs(const tactus_call* call) {
  const tactus_tensor* a = tactus_input(call, "a");
  const tactus_tensor* b = tactus_input(call, "b");
  const std::int64_t columns = a->shape[a->rank - 1];
  if (!fits_divisor(columns)) return kShapeNotSupported;
  return with_number(a->dtype, [&](auto number) {
    using T = decltype(number);
    if (a->rank == 1) return launch_packed<T, Meets::kEachNumber, Function>(call, columns);
    if (b->rank == 1) return launch_packed<T, Meets::kEachRow, Function>(call, columns);
    return launch_packed<T, Meets::kWholeRow, Function>(call, columns);
  });
}

}  // namespace

int pair_add(const tactus_call* call) {
  return pairs<Sum>(call);
}
int pair_sub(const tactus_call* call) {
  return pairs<Difference>(call);
}
int pair_mul(const tactus_call* call) {
  return pairs<Product>(call);
}
int pair_div(const tactus_call* call) {
  return pairs<Quotient>(call);
}

}  // namespace tactus::cuda
