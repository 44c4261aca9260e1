#include "operators/cuda/entries.h"
#include "operators/cuda/generic.cuh"

namespace tactus::cuda {
namespace {

// silu, gelu, copy, cast: a function of each number.

struct Silu {
  __device__ float operator()(float x) const { return silu(x); }
};
struct Gelu {
  __device__ float operator()(float x) const {
    return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
  }
};
struct Same {
  __device__ float operator()(float x) const { return x; }
};

/// One pack per thread; the last one may be cut.
template <class From, class Into, int Count, class Function>
__global__ void __launch_bounds__(kBlockThreads)
    each_kernel(const From* x, Into* out, std::int64_t elements) {
  const std::int64_t i =
      (static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x) * Count;
  if (i >= elements) return;
  const Function function;
  if (i + Count <= elements) {
    const auto pack = *reinterpret_cast<const Pack<From, Count>*>(x + i);
    Pack<Into, Count> result;
#pragma unroll
    for (int k = 0; k < Count; ++k) result.at[k] = as<Into>(function(as_float(pack.at[k])));
    *reinterpret_cast<Pack<Into, Count>*>(out + i) = result;
  } else {
    for (std::int64_t k = i; k < elements; ++k) out[k] = as<Into>(function(as_float(x[k])));
  }
}

template <class From, class Into, class Function>
int each_number(const tactus_call* call) {
  constexpr int kCount = kPacked<From> < kPacked<Into> ? kPacked<From> : kPacked<Into>;
  const std::int64_t elements = elements_of(tactus_input(call, "x"));
  const std::int64_t packs = (elements + kCount - 1) / kCount;
  if (!fits_divisor(packs)) return kShapeNotSupported;
  each_kernel<From, Into, kCount, Function>
      <<<blocks_for(packs, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
          input<From>(call, "x"), output<Into>(call, "out"), elements);
  return launched();
}

template <class Function>
int each_of_one_type(const tactus_call* call) {
  return with_number(tactus_input(call, "x")->dtype, [&](auto number) {
    using T = decltype(number);
    return each_number<T, T, Function>(call);
  });
}

/// body(T{}) for the types above, and fp8.
template <class Body>
int with_any_number(int dtype, const Body& body) {
  return dtype == TACTUS_FP8_E4M3 ? body(__nv_fp8_e4m3{}) : with_number(dtype, body);
}

/// The bytes as they are, whatever numbers they are; the last ones may be no whole piece.
__global__ void __launch_bounds__(kBlockThreads)
    copy_kernel(const unsigned char* x, unsigned char* out, std::int64_t bytes) {
  constexpr std::int64_t kPiece = sizeof(int4);
  const std::int64_t i =
      (static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x) * kPiece;
  if (i >= bytes) return;
  if (i + kPiece <= bytes) {
    *reinterpret_cast<int4*>(out + i) = *reinterpret_cast<const int4*>(x + i);
  } else {
    for (std::int64_t k = i; k < bytes; ++k) out[k] = x[k];
  }
}

}  // namespace

int plain_silu(const tactus_call* call) {
  return each_of_one_type<Silu>(call);
}

int plain_gelu(const tactus_call* call) {
  return each_of_one_type<Gelu>(call);
}

int plain_copy(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const std::int64_t bytes = elements_of(x) * bytes_of_number(x);
  const std::int64_t pieces = (bytes + 15) / 16;
  if (!fits_divisor(pieces)) return kShapeNotSupported;
  copy_kernel<<<blocks_for(pieces, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
      input<unsigned char>(call, "x"), output<unsigned char>(call, "out"), bytes);
  return launched();
}

int plain_cast(const tactus_call* call) {
  return with_any_number(tactus_input(call, "x")->dtype, [&](auto from) {
    return with_any_number(tactus_output(call, "out")->dtype, [&](auto into) {
      return each_number<decltype(from), decltype(into), Same>(call);
    });
  });
}

}  // namespace tactus::cuda
