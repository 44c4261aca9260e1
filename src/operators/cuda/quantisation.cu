#include "operators/cuda/common.cuh"
#include "operators/cuda/entries.h"

namespace tactus::cuda {
namespace {

using Bf16 = __nv_bfloat16;

struct alignas(8) WideBytes {
  std::uint8_t at[kWide];
};

__device__ void store_bytes(std::uint8_t* to, const WideBytes& bytes) {
  __stcs(reinterpret_cast<int2*>(to), *reinterpret_cast<const int2*>(&bytes));
}

__device__ float clamped(float value, float limit) {
  return fminf(fmaxf(value, -limit), limit);
}

struct PerToken {
  const Bf16* x;
  std::uint8_t* q;
  float* scale_out;
  float limit;
  float least;

  template <int Threads, int Held>
  __device__ void row(const RowTeam<Threads>& team, std::int64_t row, bool there,
                      int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    Wide<Bf16> held[Held];
    float amax = 0;
#pragma unroll
    for (int j = 0; j < Held; ++j) {
      const int vector = team.lane + j * Threads;
      held[j] = {};
      if (there && vector < vectors)
        held[j] = load_once(x + first + static_cast<std::int64_t>(vector) * kWide);
#pragma unroll
      for (int i = 0; i < kWide; ++i) amax = fmaxf(amax, fabsf(as_float(held[j].at[i])));
    }
    // NaN bits of a vector that is not there never get in: held is zero there.
    const float scale = fmaxf(team.largest(amax), least) / limit;
    const float inverse = 1.0f / scale;
#pragma unroll
    for (int j = 0; j < Held; ++j) {
      const int vector = team.lane + j * Threads;
      if (!there || vector >= vectors) continue;
      WideBytes bytes;
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        bytes.at[i] = to_fnuz(clamped(as_float(held[j].at[i]) * inverse, limit));
      }
      store_bytes(q + first + static_cast<std::int64_t>(vector) * kWide, bytes);
    }
    if (there && team.lane == 0) scale_out[row] = scale;
  }
};

/// Groups of 128 numbers: sixteen threads with eight each.
template <bool kFnuz>
__global__ void __launch_bounds__(kBlockThreads)
    group_kernel(const Bf16* x, std::uint8_t* q, float* scales, std::int64_t groups, float limit,
                 float least) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  const std::int64_t group = thread / 16;
  const bool there = group < groups;
  Wide<Bf16> held = {};
  if (there) held = load_once(x + thread * kWide);
  float amax = 0;
#pragma unroll
  for (int i = 0; i < kWide; ++i) amax = fmaxf(amax, fabsf(as_float(held.at[i])));
#pragma unroll
  for (int step = 8; step > 0; step /= 2) {
    amax = fmaxf(amax, __shfl_xor_sync(0xffffffffu, amax, step));
  }
  if (!there) return;
  const float scale = fmaxf(amax / limit, least);
  WideBytes bytes;
#pragma unroll
  for (int i = 0; i < kWide; ++i) {
    const float value = clamped(as_float(held.at[i]) / scale, limit);
    bytes.at[i] = kFnuz ? to_fnuz(value) : to_e4m3(value);
  }
  store_bytes(q + thread * kWide, bytes);
  if (threadIdx.x % 16 == 0) scales[group] = scale;
}

struct FusedNormQuant {
  const Bf16* x;
  const Bf16* residual;
  const Bf16* weight;
  std::uint8_t* q;
  float* scale_out;
  Bf16* sum_out;
  float eps;
  float limit;
  float inverse_width;

  template <int Threads, int Held>
  __device__ void row(const RowTeam<Threads>& team, std::int64_t row, bool there,
                      int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    float held[Held][kWide];
    float squares = 0;
#pragma unroll
    for (int j = 0; j < Held; ++j) {
      const int vector = team.lane + j * Threads;
      const bool inside = there && vector < vectors;
      const std::int64_t at = first + static_cast<std::int64_t>(vector) * kWide;
      Wide<Bf16> a = {};
      Wide<Bf16> b = {};
      if (inside) a = load_once(x + at);
      if (inside) b = load_once(residual + at);
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        a.at[i] = as<Bf16>(inside ? as_float(a.at[i]) + as_float(b.at[i]) : 0.0f);
        held[j][i] = as_float(a.at[i]);
        squares += held[j][i] * held[j][i];
      }
      if (inside) store(sum_out + at, a);
    }
    const float norm = rsqrtf(team.sum(squares) * inverse_width + eps);
    float amax = 0;
#pragma unroll
    for (int j = 0; j < Held; ++j) {
      const int vector = team.lane + j * Threads;
      if (there && vector < vectors) {
        const Wide<Bf16> w = load(weight + vector * kWide);
#pragma unroll
        for (int i = 0; i < kWide; ++i) {
          held[j][i] = as_float(as<Bf16>(held[j][i] * norm * as_float(w.at[i])));
        }
      }
#pragma unroll
      for (int i = 0; i < kWide; ++i) amax = fmaxf(amax, fabsf(held[j][i]));
    }
    const float largest = team.largest(amax);
    const float scale = largest == 0 ? 1.0f : largest / limit;
#pragma unroll
    for (int j = 0; j < Held; ++j) {
      const int vector = team.lane + j * Threads;
      if (!there || vector >= vectors) continue;
      WideBytes bytes;
#pragma unroll
      for (int i = 0; i < kWide; ++i) bytes.at[i] = to_fnuz(held[j][i] / scale);
      store_bytes(q + first + static_cast<std::int64_t>(vector) * kWide, bytes);
    }
    if (there && team.lane == 0) scale_out[row] = scale;
  }
};

}  // namespace

int fp8_dynamic_per_token_quant(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  return for_rows(
      PerToken{input<Bf16>(call, "x"), output<std::uint8_t>(call, "q"),
               output<float>(call, "scale"), static_cast<float>(tactus_value(call, "fp8_max", 240)),
               static_cast<float>(tactus_value(call, "least_amax", 1e-12))},
      x->shape[0], x->shape[1], stream_of(call));
}

int per_token_group_quant_fp8(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const tactus_tensor* q = tactus_output(call, "quantized");
  const std::int64_t elements = x->shape[0] * x->shape[1];
  if (tactus_value(call, "group_size", 128) != 128 || x->shape[1] % 128 != 0) {
    return kShapeNotSupported;
  }
  const auto blocks = static_cast<unsigned>((elements / kWide + kBlockThreads - 1) / kBlockThreads);
  const auto limit = static_cast<float>(tactus_value(call, "fp8_max", 448));
  const auto least = static_cast<float>(tactus_value(call, "least_scale", 1e-10));
  const auto kernel = q->dtype == TACTUS_FP8_E4M3_FNUZ ? group_kernel<true> : group_kernel<false>;
  kernel<<<blocks, kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "x"), output<std::uint8_t>(call, "quantized"),
      output<float>(call, "scales"), elements / 128, limit, least);
  return launched();
}

int fused_rmsnorm_quant(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  return for_rows(
      FusedNormQuant{input<Bf16>(call, "x"), input<Bf16>(call, "residual"),
                     input<Bf16>(call, "weight"), output<std::uint8_t>(call, "quantized"),
                     output<float>(call, "scale"), output<Bf16>(call, "residual_out"),
                     static_cast<float>(tactus_value(call, "eps", 1e-5)),
                     static_cast<float>(tactus_value(call, "fp8_max", 240)),
                     1.0f / static_cast<float>(x->shape[1])},
      x->shape[0], x->shape[1], stream_of(call));
}

}  // namespace tactus::cuda
