#pragma once

#include "operators/cpu/norm_kernels.h"

namespace tactus::TACTUS_ISA {

/// One head: number i of the first `half` and number i + half are a pair; what comes after both
/// halves is copied.
template <class Number>
inline void rotate(const typename Number::Stored* from, typename Number::Stored* to,
                   std::int64_t head_dim, std::int64_t half, const float* cosine,
                   const float* sine) {
  for (std::int64_t i = 0; i < half; i += kLanes) {
    const std::int64_t left = half - i;
    const Floats a = take<Number>(from + i, left);
    const Floats b = take<Number>(from + half + i, left);
    const Floats c = take<Fp32>(cosine + i, left);
    const Floats s = take<Fp32>(sine + i, left);
    put<Number>(to + i, a * c - b * s, left);
    put<Number>(to + half + i, b * c + a * s, left);
  }
  std::memcpy(to + 2 * half, from + 2 * half,
              static_cast<std::size_t>(head_dim - 2 * half) * sizeof(*to));
}

/// Three rows of floats of half a rope for each worker.
inline std::size_t rope_workspace(const tactus_call* call) {
  const std::int64_t half = round_up(whole(call, "rope_dim") / 2, 64);
  return static_cast<std::size_t>((2 * call->threads + 1) * half) * sizeof(float);
}

inline int fused_qkv_rope(const tactus_call* call) {
  return with_number(dtype_of(call, "qkv"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const auto* qkv = input<Stored>(call, "qkv");
    const auto* positions = input<std::int32_t>(call, "positions");
    const tactus_tensor* q = tactus_output(call, "q");
    const tactus_tensor* k = tactus_output(call, "k");
    auto* q_out = static_cast<Stored*>(q->data);
    auto* k_out = static_cast<Stored*>(k->data);
    auto* v_out = output<Stored>(call, "v");
    const std::int64_t tokens = q->shape[0];
    const std::int64_t heads = q->shape[1];
    const std::int64_t kv_heads = k->shape[1];
    const std::int64_t head_dim = q->shape[2];
    const std::int64_t half = whole(call, "rope_dim") / 2;
    const std::int64_t padded = round_up(half, 64);
    auto* frequencies = static_cast<float*>(call->workspace);
    const double step =
        -__builtin_log(tactus_value(call, "base", 10000)) / static_cast<double>(half);
    for (std::int64_t i = 0; i < half; ++i) {
      frequencies[i] = static_cast<float>(__builtin_exp(step * static_cast<double>(i)));
    }
    parallel_workers(call, tokens, [&](std::int64_t worker, std::int64_t token) {
      float* cosine = frequencies + (1 + 2 * worker) * padded;
      float* sine = cosine + padded;
      const auto position = static_cast<float>(positions[token]);
      for (std::int64_t i = 0; i < half; ++i) {
        cosine[i] = __builtin_cosf(position * frequencies[i]);
        sine[i] = __builtin_sinf(position * frequencies[i]);
      }
      const Stored* row = qkv + token * (heads + 2 * kv_heads) * head_dim;
      for (std::int64_t head = 0; head < heads + kv_heads; ++head) {
        Stored* to = head < heads ? q_out + (token * heads + head) * head_dim
                                  : k_out + (token * kv_heads + head - heads) * head_dim;
        rotate<Number>(row + head * head_dim, to, head_dim, half, cosine, sine);
      }
      std::memcpy(v_out + token * kv_heads * head_dim, row + (heads + kv_heads) * head_dim,
                  static_cast<std::size_t>(kv_heads * head_dim) * sizeof(Stored));
    });
    return 0;
  });
}

inline int mrope(const tactus_call* call) {
  return with_number(dtype_of(call, "q"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const auto* cos_planes = input<float>(call, "cos");
    const auto* sin_planes = input<float>(call, "sin");
    const std::int64_t tokens = extent(call, "q", 0);
    const std::int64_t head_dim = whole(call, "head_dim");
    const std::int64_t half = whole(call, "rope_dim") / 2;
    const std::int64_t padded = round_up(half, 64);
    const std::int64_t sections[3] = {whole(call, "section_0"), whole(call, "section_1"),
                                      whole(call, "section_2")};
    const std::int64_t width[2] = {extent(call, "q", 1), extent(call, "k", 1)};
    const Stored* from[2] = {input<Stored>(call, "q"), input<Stored>(call, "k")};
    Stored* to[2] = {output<Stored>(call, "q"), output<Stored>(call, "k")};
    const std::int64_t stretch = rows_at_once((width[0] + width[1]) * 4);
    const auto one_token = [&](float* cosine, std::int64_t token) {
      float* sine = cosine + padded;
      std::int64_t at = 0;
      for (std::int64_t plane = 0; plane < 3; ++plane) {
        const std::int64_t first = (plane * tokens + token) * half + at;
        const auto bytes = static_cast<std::size_t>(sections[plane]) * sizeof(float);
        std::memcpy(cosine + at, cos_planes + first, bytes);
        std::memcpy(sine + at, sin_planes + first, bytes);
        at += sections[plane];
      }
      for (int side = 0; side < 2; ++side) {
        for (std::int64_t i = 0; i < width[side]; i += head_dim) {
          const std::int64_t head = token * width[side] + i;
          rotate<Number>(from[side] + head, to[side] + head, head_dim, half, cosine, sine);
        }
      }
    };
    parallel_workers(call, ceil_div(tokens, stretch), [&](std::int64_t worker, std::int64_t task) {
      float* cosine = static_cast<float*>(call->workspace) + 2 * worker * padded;
      for (std::int64_t t = task * stretch; t < least((task + 1) * stretch, tokens); ++t) {
        one_token(cosine, t);
      }
    });
    return 0;
  });
}

/// Past the caches where both ends are aligned.
inline void copy_once(std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes % 64 != 0) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  for (std::int64_t i = 0; i < bytes; i += 64) store_once(to + i, load<Floats>(from + i));
}

inline int reshape_and_cache(const tactus_call* call) {
  const std::byte* from[2] = {input<std::byte>(call, "key"), input<std::byte>(call, "value")};
  std::byte* to[2] = {output<std::byte>(call, "key_cache"), output<std::byte>(call, "value_cache")};
  const auto* slots = input<std::int64_t>(call, "slot_mapping");
  const std::int64_t tokens = extent(call, "key", 0);
  const std::int64_t size = dtype_of(call, "key") == TACTUS_FP32 ? 4 : 2;
  const std::int64_t row = extent(call, "key", 1) * extent(call, "key", 2) * size;
  const bool large = tokens * row >= std::int64_t{4} << 20;
  parallel_stretches(
      call, tokens, rows_at_once(row * 2), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t token = begin; token < end; ++token) {
          if (slots[token] < 0) continue;
          for (int side = 0; side < 2; ++side) {
            std::byte* there = to[side] + slots[token] * row;
            if (large) {
              copy_once(there, from[side] + token * row, row);
            } else {
              std::memcpy(there, from[side] + token * row, static_cast<std::size_t>(row));
            }
          }
        }
        if (large) finish_stores();
      });
  return 0;
}

}  // namespace tactus::TACTUS_ISA
