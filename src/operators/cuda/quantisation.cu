#include "operators/cuda/entries.h"
#include "operators/cuda/rows.cuh"

namespace tactus::cuda {
namespace {

using Bf16 = __nv_bfloat16;

/// Four numbers as fp8 (e4m3, largest 448), the first in the lowest byte.
__device__ std::uint32_t four_e4m3(float a, float b, float c, float d) {
  const std::uint32_t low = __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_E4M3);
  const std::uint32_t high = __nv_cvt_float2_to_fp8x2(make_float2(c, d), __NV_SATFINITE, __NV_E4M3);
  return low | high << 16;
}

/// fp8 with a largest number of 240 (bias 8): the code of a number is the e4m3 code of twice that
/// number. Exceptions: values above 232 become 240, one code further, and there is no negative
/// zero.
__device__ std::uint32_t four_fnuz(float a, float b, float c, float d) {
  std::uint32_t codes = four_e4m3(2 * a, 2 * b, 2 * c, 2 * d);
  constexpr float kLast = 232;
  if (fabsf(a) > kLast) codes |= 1u;
  if (fabsf(b) > kLast) codes |= 1u << 8;
  if (fabsf(c) > kLast) codes |= 1u << 16;
  if (fabsf(d) > kLast) codes |= 1u << 24;
  const std::uint32_t magnitudes = codes & 0x7f7f7f7fu;
  const std::uint32_t not_zero = (magnitudes + 0x7f7f7f7fu) & 0x80808080u;
  return magnitudes | (codes & not_zero);
}

/// Eight numbers times `factor` as fp8. No clamping: the factor maps the largest number to the
/// largest code, and a rounding beyond that saturates.
template <bool kFnuz>
__device__ uint2 eight_codes(const Wide<Bf16>& x, float factor) {
  float y[kWide];
#pragma unroll
  for (int i = 0; i < kWide; ++i) y[i] = as_float(x.at[i]) * factor;
  if (kFnuz) return {four_fnuz(y[0], y[1], y[2], y[3]), four_fnuz(y[4], y[5], y[6], y[7])};
  return {four_e4m3(y[0], y[1], y[2], y[3]), four_e4m3(y[4], y[5], y[6], y[7])};
}

__device__ void store_codes(std::uint8_t* to, uint2 codes) {
  *reinterpret_cast<uint2*>(to) = codes;
}

/// The largest magnitude of eight numbers, compared as bits, which have the same order.
__device__ float largest_of(const Wide<Bf16>& x) {
  const uint4 bits = *reinterpret_cast<const uint4*>(&x);
  const auto larger = [](std::uint32_t a, std::uint32_t b) { return __vmaxu2(a, b); };
  constexpr std::uint32_t kMagnitude = 0x7fff7fffu;
  const std::uint32_t pair = larger(larger(bits.x & kMagnitude, bits.y & kMagnitude),
                                    larger(bits.z & kMagnitude, bits.w & kMagnitude));
  return fmaxf(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u));
}

template <int Held>
__device__ float largest_of(const HeldRow<Bf16, Held>& row) {
  float largest = 0;
#pragma unroll
  for (int j = 0; j < Held; ++j) largest = fmaxf(largest, largest_of(row.at[j]));
  return largest;
}

struct PerToken {
  static constexpr bool kTogether = false;
  static constexpr int kOfWarp = 8;
  static constexpr int kBlocks = 4;
  const Bf16* x;
  std::uint8_t* q;
  float* scale_out;
  float limit;
  float least;

  template <int Held, bool Together, class Team>
  __device__ void row(const Team& team, std::int64_t row, bool there, int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    const auto held = HeldRow<Bf16, Held>::take(x + first, team, there, vectors);
    const float scale = fmaxf(team.reduce(largest_of(held), Larger()), least) / limit;
    const float inverse = 1.0f / scale;
    each_vector<Held>(team, there, vectors, [&](int j, int column) {
      store_codes(q + first + column, eight_codes<true>(held.at[j], inverse));
    });
    if (there && team.lane() == 0) scale_out[row] = scale;
  }
};

/// Groups of 128 numbers, sixteen threads with eight each; a thread has its part of two groups.
template <bool kFnuz>
__global__ void __launch_bounds__(kBlockThreads)
    group_kernel(const Bf16* x, std::uint8_t* q, float* scales, std::int64_t groups, float limit,
                 float least) {
  constexpr int kTurns = 2;
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * (kTurns * kBlockThreads) + threadIdx.x;
  Wide<Bf16> held[kTurns];
#pragma unroll
  for (int j = 0; j < kTurns; ++j) {
    const std::int64_t vector = first + j * kBlockThreads;
    held[j] = {};
    if (vector / 16 < groups) held[j] = load_own(x + vector * kWide);
  }
#pragma unroll
  for (int j = 0; j < kTurns; ++j) {
    const std::int64_t vector = first + j * kBlockThreads;
    const float largest = over_lanes<16>(largest_of(held[j]), Larger());
    if (vector / 16 >= groups) continue;  // all sixteen threads of a group, or none
    const float scale = fmaxf(largest / limit, least);
    store_codes(q + vector * kWide, eight_codes<kFnuz>(held[j], 1.0f / scale));
    if (vector % 16 == 0) scales[vector / 16] = scale;
  }
}

struct FusedNormQuant {
  static constexpr bool kTogether = false;
  static constexpr int kOfWarp = 1;
  static constexpr int kBlocks = 3;
  const Bf16* x;
  const Bf16* residual;
  const Bf16* weight;
  std::uint8_t* q;
  float* scale_out;
  Bf16* sum_out;
  float eps;
  float limit;
  float inverse_width;

  template <int Held, bool Together, class Team>
  __device__ void row(const Team& team, std::int64_t row, bool there, int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    auto held = HeldRow<Bf16, Held>::take(x + first, team, there, vectors);
    const auto other = HeldRow<Bf16, Held>::take(residual + first, team, there, vectors);
    const auto weights = RowWeights<Bf16, Held, Together>::ask(weight, team, there, vectors);
#pragma unroll
    for (int j = 0; j < Held; ++j) {
      held.at[j] = sum_of(held.at[j], other.at[j]);
    }
    each_vector<Held>(team, there, vectors,
                      [&](int j, int column) { store(sum_out + first + column, held.at[j]); });
    const float norm = rsqrtf(team.reduce(squares(held), Add()) * inverse_width + eps);
    each_vector<Held>(team, there, vectors, [&](int j, int column) {
      const Wide<Bf16> w = weights.of(j, column);
      held.at[j] = each_rounded<Bf16>(
          [&](int i) { return as_float(held.at[j].at[i]) * norm * as_float(w.at[i]); });
    });
    const float largest = team.reduce(largest_of(held), Larger());
    const float scale = largest == 0 ? 1.0f : largest / limit;
    const float inverse = 1.0f / scale;
    each_vector<Held>(team, there, vectors, [&](int j, int column) {
      store_codes(q + first + column, eight_codes<true>(held.at[j], inverse));
    });
    if (there && team.lane() == 0) scale_out[row] = scale;
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
  const unsigned blocks = blocks_for(elements / kWide, 2 * kBlockThreads);
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
