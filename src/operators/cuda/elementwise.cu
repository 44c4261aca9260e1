#include "operators/cuda/common.cuh"
#include "operators/cuda/entries.h"

namespace tactus::cuda {
namespace {

using Bf16 = __nv_bfloat16;

/// out = bf16(silu(left)) * right, eight numbers a thread; `half` vectors make half a row.
__global__ void __launch_bounds__(kBlockThreads)
    silu_kernel(const Bf16* x, Bf16* out, std::int64_t vectors, unsigned half) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (thread >= vectors) return;
  const std::int64_t row = thread / half;
  const std::int64_t column = thread - row * half;
  const Bf16* left = x + (row * 2 * half + column) * kWide;
  const Wide<Bf16> a = load_once(left);
  const Wide<Bf16> b = load_once(left + static_cast<std::int64_t>(half) * kWide);
  Wide<Bf16> result;
#pragma unroll
  for (int i = 0; i < kWide; ++i) {
    result.at[i] = as<Bf16>(as_float(as<Bf16>(silu(as_float(a.at[i])))) * as_float(b.at[i]));
  }
  store(out + thread * kWide, result);
}

/// out[t] = factor * sum over k of x[t][k].
__global__ void __launch_bounds__(kBlockThreads)
    sum_kernel(const Bf16* x, Bf16* out, std::int64_t vectors, unsigned row_vectors, int top_k,
               float factor) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (thread >= vectors) return;
  const std::int64_t token = thread / row_vectors;
  const std::int64_t column = thread - token * row_vectors;
  const Bf16* from = x + (token * top_k * row_vectors + column) * kWide;
  float sums[kWide] = {};
#pragma unroll 8
  for (int k = 0; k < top_k; ++k) {
    const Wide<Bf16> wide = load_once(from + static_cast<std::int64_t>(k) * row_vectors * kWide);
#pragma unroll
    for (int i = 0; i < kWide; ++i) sums[i] += as_float(wide.at[i]);
  }
  Wide<Bf16> result;
#pragma unroll
  for (int i = 0; i < kWide; ++i) result.at[i] = as<Bf16>(factor * sums[i]);
  store(out + thread * kWide, result);
}

/// y[c][t] = silu(bf16(bias[c] + sum over k of w[c][k] z[c][t + k])), z = state of 3, then x. Rows
/// need not begin at 16 bytes: a thread takes the eight numbers of an aligned piece, of which the
/// first and last of a row are cut.
__global__ void __launch_bounds__(kBlockThreads)
    conv_kernel(const Bf16* x, const Bf16* weight, const Bf16* bias, const Bf16* state, Bf16* out,
                std::int64_t tokens) {
  constexpr int kTaps = 4;
  const std::int64_t channel = blockIdx.y;
  const std::int64_t begin = channel * tokens;
  const auto cut = static_cast<int>(begin % kWide);
  const std::int64_t piece = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  const std::int64_t first = piece * kWide - cut;  // token; may be negative in the first piece
  if (first >= tokens) return;
  const bool whole = first >= 0 && first + kWide <= tokens;
  float z[kWide + kTaps - 1];
  // The three numbers before: from the row, or from the state.
#pragma unroll
  for (int i = 0; i < kTaps - 1; ++i) {
    const std::int64_t token = first - (kTaps - 1) + i;
    if (token >= 0) {
      z[i] = as_float(x[begin + token]);
    } else if (token >= -(kTaps - 1)) {
      z[i] = as_float(state[channel * (kTaps - 1) + (kTaps - 1) + token]);
    } else {
      z[i] = 0;
    }
  }
  if (whole) {
    const Wide<Bf16> wide = load(x + begin + first);
#pragma unroll
    for (int i = 0; i < kWide; ++i) z[kTaps - 1 + i] = as_float(wide.at[i]);
  } else {
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      const std::int64_t token = first + i;
      float value = 0;
      if (token >= 0 && token < tokens) {
        value = as_float(x[begin + token]);
      } else if (token < 0 && token >= -(kTaps - 1)) {
        value = as_float(state[channel * (kTaps - 1) + (kTaps - 1) + token]);
      }
      z[kTaps - 1 + i] = value;
    }
  }
  float w[kTaps];
#pragma unroll
  for (int k = 0; k < kTaps; ++k) w[k] = as_float(weight[channel * kTaps + k]);
  const float b = as_float(bias[channel]);
  Wide<Bf16> result;
#pragma unroll
  for (int i = 0; i < kWide; ++i) {
    float y = b;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) y += w[k] * z[i + k];
    result.at[i] = as<Bf16>(silu(as_float(as<Bf16>(y))));
  }
  if (whole) {
    store(out + begin + first, result);
  } else {
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      if (first + i >= 0 && first + i < tokens) out[begin + first + i] = result.at[i];
    }
  }
}

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>((threads + kBlockThreads - 1) / kBlockThreads);
}

}  // namespace

int silu_and_mul(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const std::int64_t half = x->shape[1] / 2;
  if (half % kWide != 0) return kShapeNotSupported;
  const std::int64_t vectors = x->shape[0] * half / kWide;
  silu_kernel<<<blocks_for(vectors), kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "x"), output<Bf16>(call, "out"), vectors,
      static_cast<unsigned>(half / kWide));
  return launched();
}

int moe_sum_reduce(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  if (x->shape[2] % kWide != 0) return kShapeNotSupported;
  const std::int64_t vectors = x->shape[0] * x->shape[2] / kWide;
  sum_kernel<<<blocks_for(vectors), kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "x"), output<Bf16>(call, "out"), vectors,
      static_cast<unsigned>(x->shape[2] / kWide), static_cast<int>(x->shape[1]),
      static_cast<float>(tactus_value(call, "factor", 1)));
  return launched();
}

int causal_conv1d(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  if (tactus_input(call, "weight")->shape[1] != 4 || x->shape[0] > 65535) return kShapeNotSupported;
  // One piece more than the row has: its first may begin before it.
  const dim3 grid(blocks_for(x->shape[1] / kWide + 2), static_cast<unsigned>(x->shape[0]));
  conv_kernel<<<grid, kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "x"), input<Bf16>(call, "weight"), input<Bf16>(call, "bias"),
      input<Bf16>(call, "initial_state"), output<Bf16>(call, "out"), x->shape[1]);
  return launched();
}

}  // namespace tactus::cuda
