#include "operators/cuda/common.cuh"
#include "operators/cuda/entries.h"

namespace tactus::cuda {
namespace {

using Bf16 = __nv_bfloat16;

/// out = bf16(silu(left)) * right, eight numbers per thread; `half` vectors are half a row.
__global__ void __launch_bounds__(kBlockThreads)
    silu_kernel(const Bf16* x, Bf16* out, unsigned vectors, Divisor half) {
  const unsigned vector = blockIdx.x * kBlockThreads + threadIdx.x;
  if (vector >= vectors) return;
  // Rows before this one have as many vectors on the right, which are not written.
  const std::int64_t from = static_cast<std::int64_t>(half(vector)) * half.by + vector;
  const Bf16* left = x + from * kWide;
  const Wide<Bf16> a = load(left);
  const Wide<Bf16> b = load(left + static_cast<std::int64_t>(half.by) * kWide);
  const Wide<Bf16> gate = each_rounded<Bf16>([&](int i) { return silu(as_float(a.at[i])); });
  store(out + static_cast<std::int64_t>(vector) * kWide,
        each_rounded<Bf16>([&](int i) { return as_float(gate.at[i]) * as_float(b.at[i]); }));
}

/// out[t] = factor * sum over k of x[t][k].
__global__ void __launch_bounds__(kBlockThreads)
    sum_kernel(const Bf16* x, Bf16* out, unsigned vectors, Divisor row_vectors, int top_k,
               float factor) {
  const unsigned vector = blockIdx.x * kBlockThreads + threadIdx.x;
  if (vector >= vectors) return;
  const unsigned token = row_vectors(vector);
  const std::int64_t row = row_vectors.by;
  const Bf16* from = x + (token * (top_k - 1) * row + vector) * kWide;
  float sums[kWide] = {};
#pragma unroll 8
  for (int k = 0; k < top_k; ++k) {
    const Wide<Bf16> wide = load_once(from + k * row * kWide);
#pragma unroll
    for (int i = 0; i < kWide; ++i) sums[i] += as_float(wide.at[i]);
  }
  store(out + static_cast<std::int64_t>(vector) * kWide,
        each_rounded<Bf16>([&](int i) { return factor * sums[i]; }));
}

constexpr int kTaps = 4;

/// The number of a channel at `token`: of the row, of the state before it, or 0 beyond both.
__device__ float conv_input(const Bf16* row, const Bf16* state, int token, int tokens) {
  if (token >= 0) return token < tokens ? as_float(row[token]) : 0.0f;
  return token >= -(kTaps - 1) ? as_float(state[kTaps - 1 + token]) : 0.0f;
}

/// y[c][t] = silu(bf16(bias[c] + sum over k of w[c][k] z[c][t + k])), z = state of 3, then x. Rows
/// need not begin at 16 bytes: a thread takes the eight numbers of an aligned piece; the first and
/// the last piece of a row are cut. Channels follow each other, `pieces` threads each.
__global__ void __launch_bounds__(kBlockThreads)
    conv_kernel(const Bf16* x, const Bf16* weight, const Bf16* bias, const Bf16* state, Bf16* out,
                int tokens, Divisor pieces, unsigned threads) {
  const unsigned thread = blockIdx.x * kBlockThreads + threadIdx.x;
  const unsigned channel = pieces(thread);
  const unsigned piece = thread - channel * pieces.by;
  const std::int64_t begin = static_cast<std::int64_t>(channel) * tokens;
  const int cut = static_cast<int>(begin % kWide);
  const int first = static_cast<int>(piece) * kWide - cut;  // token; negative in a cut piece
  const bool there = thread < threads && first < tokens;
  const bool whole = there && first >= 0 && first + kWide <= tokens;
  const Bf16* row = x + begin;
  const Bf16* row_state = state + static_cast<std::int64_t>(channel) * (kTaps - 1);
  // The three numbers before: from the thread before, if it has the same row. A thread that must
  // load them itself does it first, so that they arrive with the rest.
  const bool alone = threadIdx.x % 32 == 0 || piece == 0;
  uint2 taps = {};
  float b = 0;
  if (there) {
    taps = __ldg(reinterpret_cast<const uint2*>(weight) + channel);
    b = as_float(bias[channel]);
  }
  float fetched[kTaps - 1] = {};
  if (there && alone) {
#pragma unroll
    for (int i = 0; i < kTaps - 1; ++i) {
      fetched[i] = conv_input(row, row_state, first - (kTaps - 1) + i, tokens);
    }
  }
  float z[kTaps - 1 + kWide];
  if (whole) {
    const Wide<Bf16> wide = load(row + first);
#pragma unroll
    for (int i = 0; i < kWide; ++i) z[kTaps - 1 + i] = as_float(wide.at[i]);
  } else {
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      z[kTaps - 1 + i] = there ? conv_input(row, row_state, first + i, tokens) : 0.0f;
    }
  }
#pragma unroll
  for (int i = 0; i < kTaps - 1; ++i) {
    const float from_before = __shfl_up_sync(0xffffffffu, z[kWide + i], 1);
    z[i] = alone ? fetched[i] : from_before;
  }
  if (!there) return;
  const auto* four = reinterpret_cast<const Bf16*>(&taps);
  float w[kTaps];
#pragma unroll
  for (int k = 0; k < kTaps; ++k) w[k] = as_float(four[k]);
  const Wide<Bf16> sums = each_rounded<Bf16>([&](int i) {
    float y = b;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) y += w[k] * z[i + k];
    return y;
  });
  const auto result = each_rounded<Bf16>([&](int i) { return silu(as_float(sums.at[i])); });
  if (whole) {
    store(out + begin + first, result);
  } else {
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      if (first + i >= 0 && first + i < tokens) out[begin + first + i] = result.at[i];
    }
  }
}

/// The same, one number per thread, for short rows.
__global__ void __launch_bounds__(kBlockThreads)
    short_conv_kernel(const Bf16* x, const Bf16* weight, const Bf16* bias, const Bf16* state,
                      Bf16* out, Divisor tokens, unsigned numbers) {
  const unsigned number = blockIdx.x * kBlockThreads + threadIdx.x;
  if (number >= numbers) return;
  const unsigned channel = tokens(number);
  const unsigned begin = channel * tokens.by;
  const int first = static_cast<int>(number - begin) - (kTaps - 1);
  const uint2 taps = __ldg(reinterpret_cast<const uint2*>(weight) + channel);
  const auto* w = reinterpret_cast<const Bf16*>(&taps);
  float y = as_float(bias[channel]);
#pragma unroll
  for (int k = 0; k < kTaps; ++k) {
    y += as_float(w[k]) * conv_input(x + begin, state + channel * (kTaps - 1), first + k,
                                     static_cast<int>(tokens.by));
  }
  out[number] = as<Bf16>(silu(as_float(as<Bf16>(y))));
}

}  // namespace

int silu_and_mul(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const std::int64_t half = x->shape[1] / 2;
  const std::int64_t vectors = x->shape[0] * half / kWide;
  if (half % kWide != 0 || !fits_divisor(vectors)) return kShapeNotSupported;
  silu_kernel<<<blocks_for(vectors, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "x"), output<Bf16>(call, "out"), static_cast<unsigned>(vectors),
      Divisor(half / kWide));
  return launched();
}

int moe_sum_reduce(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const std::int64_t vectors = x->shape[0] * x->shape[2] / kWide;
  if (x->shape[2] % kWide != 0 || !fits_divisor(vectors)) return kShapeNotSupported;
  sum_kernel<<<blocks_for(vectors, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "x"), output<Bf16>(call, "out"), static_cast<unsigned>(vectors),
      Divisor(x->shape[2] / kWide), static_cast<int>(x->shape[1]),
      static_cast<float>(tactus_value(call, "factor", 1)));
  return launched();
}

int causal_conv1d(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const std::int64_t tokens = x->shape[1];
  if (tactus_input(call, "weight")->shape[1] != kTaps) return kShapeNotSupported;
  if (tokens < kWide) {
    const std::int64_t numbers = x->shape[0] * tokens;
    if (!fits_divisor(kTaps * numbers)) return kShapeNotSupported;
    short_conv_kernel<<<blocks_for(numbers, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
        input<Bf16>(call, "x"), input<Bf16>(call, "weight"), input<Bf16>(call, "bias"),
        input<Bf16>(call, "initial_state"), output<Bf16>(call, "out"), Divisor(tokens),
        static_cast<unsigned>(numbers));
    return launched();
  }
  // One more piece than the row has, because its first piece may begin before the row.
  const std::int64_t pieces = (tokens + kWide - 1) / kWide + (tokens % kWide != 0 ? 1 : 0);
  const std::int64_t threads = x->shape[0] * pieces;
  if (!fits_divisor(threads + kBlockThreads)) return kShapeNotSupported;
  conv_kernel<<<blocks_for(threads, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "x"), input<Bf16>(call, "weight"), input<Bf16>(call, "bias"),
      input<Bf16>(call, "initial_state"), output<Bf16>(call, "out"), static_cast<int>(tokens),
      Divisor(pieces), static_cast<unsigned>(threads));
  return launched();
}

}  // namespace tactus::cuda
