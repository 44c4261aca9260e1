#include <cmath>

#include "operators/cuda/common.cuh"
#include "operators/cuda/entries.h"

namespace tactus::cuda {
namespace {

using Bf16 = __nv_bfloat16;

constexpr int kMostPairs = 128;

/// base^(-2 i / rope_dim) for each rotated pair i. The host computes them: a power takes about a
/// hundred instructions, and a small kernel spends most of its time on fetching its code.
struct Frequencies {
  float at[kMostPairs] = {};
  double base = 0;
  int rope_dim = 0;

  void make(double new_base, int new_rope_dim) {
    if (base == new_base && rope_dim == new_rope_dim) return;
    base = new_base;
    rope_dim = new_rope_dim;
    for (int i = 0; i < rope_dim / 2; ++i) {
      at[i] = static_cast<float>(std::pow(base, -2.0 * i / rope_dim));
    }
  }
};

/// One thread rotates one pair (i, i + rope_dim / 2) of a head, or copies two numbers of v.
template <class T>
__global__ void qkv_kernel(const T* qkv, const std::int32_t* positions, T* q, T* k, T* v, int heads,
                           int kv_heads, int head_dim, Divisor halves, Divisor all_heads,
                           unsigned tokens, Frequencies frequencies) {
  const auto half = static_cast<int>(halves.by);
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = halves(thread);
  const int pair = static_cast<int>(thread - row * halves.by);
  const std::int64_t token = all_heads(row);
  if (token >= tokens) return;
  const int head = static_cast<int>(row - static_cast<unsigned>(token) * all_heads.by);
  const T* from = qkv + static_cast<std::int64_t>(row) * head_dim;
  T* to = head < heads              ? q + (token * heads + head) * head_dim
          : head < heads + kv_heads ? k + (token * kv_heads + head - heads) * head_dim
                                    : v + (token * kv_heads + head - heads - kv_heads) * head_dim;
  const int rope_dim = frequencies.rope_dim;
  const int rotated = rope_dim / 2;
  if (head >= heads + kv_heads || pair >= rotated) {
    // Numbers that are not rotated: those of v, and the tail of a head.
    const int first = head >= heads + kv_heads ? pair : rope_dim + (pair - rotated);
    const int second = head >= heads + kv_heads ? pair + half : first + (half - rotated);
    to[first] = from[first];
    to[second] = from[second];
    return;
  }
  float sine = 0;
  float cosine = 0;
  sincosf(static_cast<float>(positions[token]) * frequencies.at[pair], &sine, &cosine);
  const float x1 = as_float(from[pair]);
  const float x2 = as_float(from[pair + rotated]);
  to[pair] = as<T>(x1 * cosine - x2 * sine);
  to[pair + rotated] = as<T>(x2 * cosine + x1 * sine);
}

/// Sections of the rotated half take their angles from plane 0, 1 or 2. A thread has eight numbers
/// of the first half of a head and their eight partners.
__global__ void __launch_bounds__(kBlockThreads)
    mrope_kernel(const Bf16* q, const Bf16* k, const float* cosines, const float* sines,
                 Bf16* q_out, Bf16* k_out, int heads, int kv_heads, int head_dim, int first_end,
                 int second_end, Divisor vectors, Divisor all_heads, std::int64_t tokens) {
  const int half = head_dim / 2;
  const unsigned thread = blockIdx.x * kBlockThreads + threadIdx.x;
  const unsigned row = vectors(thread);
  const int column = static_cast<int>(thread - row * vectors.by) * kWide;
  const std::int64_t token = all_heads(row);
  if (token >= tokens) return;
  const int head = static_cast<int>(row - static_cast<unsigned>(token) * all_heads.by);
  const bool of_q = head < heads;
  const std::int64_t at =
      of_q ? (token * heads + head) * head_dim : (token * kv_heads + head - heads) * head_dim;
  const Bf16* from = (of_q ? q : k) + at + column;
  Bf16* to = (of_q ? q_out : k_out) + at + column;
  const Wide<Bf16> x1 = load_own(from);
  const Wide<Bf16> x2 = load_own(from + half);
  float y1[kWide];
  float y2[kWide];
  constexpr int kFour = 4;  // numbers of 32 bits in 16 bytes; a section is a whole number of them
#pragma unroll
  for (int part = 0; part < kWide; part += kFour) {
    const int f = column + part;
    const int plane = f < first_end ? 0 : f < second_end ? 1 : 2;
    const std::int64_t angle = (plane * tokens + token) * half + f;
    const float4 c4 = __ldg(reinterpret_cast<const float4*>(cosines + angle));
    const float4 s4 = __ldg(reinterpret_cast<const float4*>(sines + angle));
    const float c[kFour] = {c4.x, c4.y, c4.z, c4.w};
    const float s[kFour] = {s4.x, s4.y, s4.z, s4.w};
#pragma unroll
    for (int i = 0; i < kFour; ++i) {
      const float a = as_float(x1.at[part + i]);
      const float b = as_float(x2.at[part + i]);
      y1[part + i] = a * c[i] - b * s[i];
      y2[part + i] = b * c[i] + a * s[i];
    }
  }
  store(to, rounded<Bf16>(y1));
  store(to + half, rounded<Bf16>(y2));
}

/// Copies rows of key and value to their slots; slots below 0 are left out. Eight numbers per
/// thread.
__global__ void __launch_bounds__(kBlockThreads)
    cache_kernel(const Bf16* key, const Bf16* value, const std::int64_t* slots, Bf16* key_cache,
                 Bf16* value_cache, Divisor row_vectors, unsigned vectors) {
  const unsigned vector = blockIdx.x * kBlockThreads + threadIdx.x;
  if (vector >= vectors) return;
  const unsigned token = row_vectors(vector);
  const unsigned column = vector - token * row_vectors.by;
  const std::int64_t from = static_cast<std::int64_t>(vector) * kWide;
  // All three loads start before the first result is needed.
  const std::int64_t slot = __ldg(slots + token);
  const Wide<Bf16> k = load_own(key + from);
  const Wide<Bf16> v = load_own(value + from);
  if (slot < 0) return;
  const std::int64_t to = (slot * row_vectors.by + column) * kWide;
  store(key_cache + to, k);
  store(value_cache + to, v);
}

template <class T>
int qkv_rope_of(const tactus_call* call) {
  const tactus_tensor* q = tactus_output(call, "q");
  const tactus_tensor* k = tactus_output(call, "k");
  const std::int64_t tokens = q->shape[0];
  const auto heads = static_cast<int>(q->shape[1]);
  const auto kv_heads = static_cast<int>(k->shape[1]);
  const auto head_dim = static_cast<int>(q->shape[2]);
  const std::int64_t threads = tokens * (heads + 2 * kv_heads) * (head_dim / 2);
  constexpr int kThreads = 128;
  const auto rope_dim = static_cast<int>(tactus_value(call, "rope_dim", head_dim));
  if (!fits_divisor(threads + kThreads) || rope_dim > 2 * kMostPairs) return kShapeNotSupported;
  static thread_local Frequencies frequencies;  // the same in each layer of a model
  frequencies.make(static_cast<float>(tactus_value(call, "base", 10000)), rope_dim);
  qkv_kernel<T><<<blocks_for(threads, kThreads), kThreads, 0, stream_of(call)>>>(
      input<T>(call, "qkv"), input<std::int32_t>(call, "positions"), output<T>(call, "q"),
      output<T>(call, "k"), output<T>(call, "v"), heads, kv_heads, head_dim, Divisor(head_dim / 2),
      Divisor(heads + 2 * kv_heads), static_cast<unsigned>(tokens), frequencies);
  return launched();
}

}  // namespace

int fused_qkv_rope(const tactus_call* call) {
  return tactus_input(call, "qkv")->dtype == TACTUS_FP16 ? qkv_rope_of<__half>(call)
                                                         : qkv_rope_of<Bf16>(call);
}

int mrope(const tactus_call* call) {
  const auto head_dim = static_cast<int>(tactus_value(call, "head_dim", 128));
  const tactus_tensor* q = tactus_input(call, "q");
  const tactus_tensor* k = tactus_input(call, "k");
  const std::int64_t tokens = q->shape[0];
  if (tactus_value(call, "rope_dim", head_dim) != head_dim || head_dim % (2 * kWide) != 0) {
    return kShapeNotSupported;
  }
  std::int64_t q_width = 1;
  std::int64_t k_width = 1;
  for (std::int32_t i = 1; i < q->rank; ++i) q_width *= q->shape[i];
  for (std::int32_t i = 1; i < k->rank; ++i) k_width *= k->shape[i];
  const auto heads = static_cast<int>(q_width / head_dim);
  const auto kv_heads = static_cast<int>(k_width / head_dim);
  const auto first = static_cast<int>(tactus_value(call, "section_0", 16));
  const auto second = static_cast<int>(tactus_value(call, "section_1", 24));
  const int vectors = head_dim / 2 / kWide;
  const std::int64_t threads = tokens * (heads + kv_heads) * vectors;
  if (!fits_divisor(threads + kBlockThreads) || first % 4 != 0 || second % 4 != 0) {
    return kShapeNotSupported;
  }
  mrope_kernel<<<blocks_for(threads, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "q"), input<Bf16>(call, "k"), input<float>(call, "cos"),
      input<float>(call, "sin"), output<Bf16>(call, "q"), output<Bf16>(call, "k"), heads, kv_heads,
      head_dim, first, first + second, Divisor(vectors), Divisor(heads + kv_heads), tokens);
  return launched();
}

int reshape_and_cache(const tactus_call* call) {
  const tactus_tensor* key = tactus_input(call, "key");
  const std::int64_t width = key->shape[1] * key->shape[2];
  const std::int64_t vectors = key->shape[0] * width / kWide;
  if (width % kWide != 0 || !fits_divisor(vectors)) return kShapeNotSupported;
  cache_kernel<<<blocks_for(vectors, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "key"), input<Bf16>(call, "value"),
      input<std::int64_t>(call, "slot_mapping"), output<Bf16>(call, "key_cache"),
      output<Bf16>(call, "value_cache"), Divisor(width / kWide), static_cast<unsigned>(vectors));
  return launched();
}

}  // namespace tactus::cuda
