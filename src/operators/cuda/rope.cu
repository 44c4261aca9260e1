#include "operators/cuda/common.cuh"
#include "operators/cuda/entries.h"

namespace tactus::cuda {
namespace {

using Bf16 = __nv_bfloat16;

/// One thread rotates one pair (i, i + rope_dim / 2) of a head, or copies two numbers of v.
template <class T>
__global__ void qkv_kernel(const T* qkv, const std::int32_t* positions, T* q, T* k, T* v, int heads,
                           int kv_heads, int head_dim, int rope_dim, float base,
                           std::int64_t tokens) {
  const int half = head_dim / 2;
  const int all_heads = heads + 2 * kv_heads;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / half;
  const int pair = static_cast<int>(thread % half);
  const std::int64_t token = row / all_heads;
  if (token >= tokens) return;
  const int head = static_cast<int>(row % all_heads);
  const T* from = qkv + row * head_dim;
  T* to = head < heads              ? q + (token * heads + head) * head_dim
          : head < heads + kv_heads ? k + (token * kv_heads + head - heads) * head_dim
                                    : v + (token * kv_heads + head - heads - kv_heads) * head_dim;
  const int rotated = rope_dim / 2;
  if (head >= heads + kv_heads || pair >= rotated) {
    // Numbers that are not rotated: those of v, and the tail of a head.
    const int first = head >= heads + kv_heads ? pair : rope_dim + (pair - rotated);
    const int second = head >= heads + kv_heads ? pair + half : first + (half - rotated);
    to[first] = from[first];
    to[second] = from[second];
    return;
  }
  const float frequency =
      static_cast<float>(pow(static_cast<double>(base), -2.0 * pair / rope_dim));
  float sine = 0;
  float cosine = 0;
  sincosf(static_cast<float>(positions[token]) * frequency, &sine, &cosine);
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
                 int second_end, std::int64_t tokens) {
  const int half = head_dim / 2;
  const int vectors = half / kWide;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  const std::int64_t row = thread / vectors;
  const int column = static_cast<int>(thread % vectors) * kWide;
  const std::int64_t token = row / (heads + kv_heads);
  if (token >= tokens) return;
  const int head = static_cast<int>(row % (heads + kv_heads));
  const bool of_q = head < heads;
  const std::int64_t at =
      of_q ? (token * heads + head) * head_dim : (token * kv_heads + head - heads) * head_dim;
  const Bf16* from = (of_q ? q : k) + at + column;
  Bf16* to = (of_q ? q_out : k_out) + at + column;
  const Wide<Bf16> x1 = load_once(from);
  const Wide<Bf16> x2 = load_once(from + half);
  Wide<Bf16> y1;
  Wide<Bf16> y2;
#pragma unroll
  for (int i = 0; i < kWide; ++i) {
    const int f = column + i;
    const int plane = f < first_end ? 0 : f < second_end ? 1 : 2;
    const std::int64_t angle = (plane * tokens + token) * half + f;
    const float c = __ldg(cosines + angle);
    const float s = __ldg(sines + angle);
    const float a = as_float(x1.at[i]);
    const float b = as_float(x2.at[i]);
    y1.at[i] = as<Bf16>(a * c - b * s);
    y2.at[i] = as<Bf16>(b * c + a * s);
  }
  store(to, y1);
  store(to + half, y2);
}

/// Rows of key and value to their slots; slots below 0 are left out. Eight numbers a thread.
__global__ void __launch_bounds__(kBlockThreads)
    cache_kernel(const Bf16* key, const Bf16* value, const std::int64_t* slots, Bf16* key_cache,
                 Bf16* value_cache, unsigned row_vectors, std::int64_t vectors) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (thread >= vectors) return;
  const std::int64_t token = thread / row_vectors;
  const std::int64_t column = thread - token * row_vectors;
  const std::int64_t slot = __ldg(slots + token);
  if (slot < 0) return;
  const std::int64_t to = (slot * row_vectors + column) * kWide;
  store(key_cache + to, load_once(key + thread * kWide));
  store(value_cache + to, load_once(value + thread * kWide));
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
  qkv_kernel<T><<<static_cast<unsigned>((threads + kThreads - 1) / kThreads), kThreads, 0,
                  stream_of(call)>>>(input<T>(call, "qkv"), input<std::int32_t>(call, "positions"),
                                     output<T>(call, "q"), output<T>(call, "k"),
                                     output<T>(call, "v"), heads, kv_heads, head_dim,
                                     static_cast<int>(tactus_value(call, "rope_dim", head_dim)),
                                     static_cast<float>(tactus_value(call, "base", 10000)), tokens);
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
  const std::int64_t threads = tokens * (heads + kv_heads) * (head_dim / 2 / kWide);
  mrope_kernel<<<static_cast<unsigned>((threads + kBlockThreads - 1) / kBlockThreads),
                 kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "q"), input<Bf16>(call, "k"), input<float>(call, "cos"),
      input<float>(call, "sin"), output<Bf16>(call, "q"), output<Bf16>(call, "k"), heads, kv_heads,
      head_dim, first, first + second, tokens);
  return launched();
}

int reshape_and_cache(const tactus_call* call) {
  const tactus_tensor* key = tactus_input(call, "key");
  const std::int64_t width = key->shape[1] * key->shape[2];
  if (width % kWide != 0) return kShapeNotSupported;
  const std::int64_t vectors = key->shape[0] * width / kWide;
  cache_kernel<<<static_cast<unsigned>((vectors + kBlockThreads - 1) / kBlockThreads),
                 kBlockThreads, 0, stream_of(call)>>>(
      input<Bf16>(call, "key"), input<Bf16>(call, "value"),
      input<std::int64_t>(call, "slot_mapping"), output<Bf16>(call, "key_cache"),
      output<Bf16>(call, "value_cache"), static_cast<unsigned>(width / kWide), vectors);
  return launched();
}

}  // namespace tactus::cuda
