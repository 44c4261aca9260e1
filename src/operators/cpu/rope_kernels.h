#pragma once

#include "operators/cpu/norm_kernels.h"

namespace tactus::TACTUS_ISA {

/// One head: number i of the first `half` and number i + half are a pair; numbers after both halves
/// are copied. Cosines and sines are at the positions of Number::place().
template <class Number>
TACTUS_INLINE void rotate(const typename Number::Stored* from, typename Number::Stored* to,
                          std::int64_t head_dim, std::int64_t half, const float* cosine,
                          const float* sine, const Writer<Number>& writer) {
  each_wide(half, [=](std::int64_t i, auto left) {
    fetch_behind(from + i);
    fetch_behind(from + half + i);
    const Wide a = take_wide<Number>(from + i, left);
    const Wide b = take_wide<Number>(from + half + i, left);
    const Wide c = Fp32::load_wide(cosine + i);
    const Wide s = Fp32::load_wide(sine + i);
    writer.put(to + i, a * c - b * s, left);
    writer.put(to + half + i, b * c + a * s, left);
  });
  each_wide(head_dim - 2 * half, [=](std::int64_t i, auto left) {
    fetch_behind(from + 2 * half + i);
    writer.copy(to + 2 * half + i, from + 2 * half + i, left);
  });
}

/// The position of number i in a row of floats, if groups of thirty-two have the order of Number.
template <class Number>
constexpr std::int64_t placed(std::int64_t i) {
  return i / kWideLanes * kWideLanes + Number::place(i % kWideLanes);
}

/// Past the caches if heads and their halves are whole lines, and the output is not the input.
template <class Number>
inline Writer<Number> head_writer(std::int64_t elements, std::int64_t head_dim, std::int64_t half,
                                  bool in_place) {
  return Writer<Number>(!in_place && Writer<Number>(elements, head_dim).once &&
                        Writer<Number>(elements, half).once);
}

/// For an angle from 0 to kMostAngle.
inline constexpr float kMostAngle = 8192;
TACTUS_INLINE void cosine_and_sine(Floats angle, float* cosine, float* sine) {
  const Ints quarter = __builtin_convertvector(angle * 0.636619772367581343f + 0.5f, Ints);
  const Floats n = __builtin_convertvector(quarter, Floats);
  // A right angle in three parts, so that the products with the first two are exact.
  const Floats r =
      ((angle - n * 1.5703125f) - n * 4.837512969970703125e-4f) - n * 7.54978995489188216e-8f;
  const Floats z = r * r;
  Floats s = all(-1.9515295891e-4f);
  s = s * z + 8.3321608736e-3f;
  s = s * z - 1.6666654611e-1f;
  s = s * (z * r) + r;
  Floats c = all(2.443315711809948e-5f);
  c = c * z - 1.388731625493765e-3f;
  c = c * z + 4.166664568298827e-2f;
  c = c * (z * z) + (1.0f - 0.5f * z);
  const Ints swapped = -(quarter & 1);
  const auto minus_sine = reinterpret_cast<Words>((quarter & 2) << 30);
  const auto minus_cosine = reinterpret_cast<Words>(((quarter + 1) & 2) << 30);
  store(cosine, reinterpret_cast<Words>(choose(swapped, s, c)) ^ minus_cosine);
  store(sine, reinterpret_cast<Words>(choose(swapped, c, s)) ^ minus_sine);
}

/// Three rows of floats, each for half of the rotated numbers, per worker.
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
    for (std::int64_t i = 0; i < padded; ++i) frequencies[i] = 0;
    for (std::int64_t i = 0; i < half; ++i) {
      frequencies[placed<Number>(i)] =
          static_cast<float>(__builtin_exp(step * static_cast<double>(i)));
    }
    const std::int64_t all_heads = heads + 2 * kv_heads;
    const auto writer = head_writer<Number>(tokens * all_heads * head_dim, head_dim, half, false);
    parallel_workers(call, tokens, [&](std::int64_t worker, std::int64_t token) {
      float* cosine = frequencies + (1 + 2 * worker) * padded;
      float* sine = cosine + padded;
      const auto position = static_cast<float>(positions[token]);
      // No frequency is above 1.
      if (position >= 0 && position <= kMostAngle) {
        for (std::int64_t i = 0; i < padded; i += kLanes) {
          cosine_and_sine(load<Floats>(frequencies + i) * position, cosine + i, sine + i);
        }
      } else {
        for (std::int64_t i = 0; i < padded; ++i) {
          cosine[i] = __builtin_cosf(position * frequencies[i]);
          sine[i] = __builtin_sinf(position * frequencies[i]);
        }
      }
      const Stored* row = qkv + token * all_heads * head_dim;
      for (std::int64_t head = 0; head < heads + kv_heads; ++head) {
        Stored* to = head < heads ? q_out + (token * heads + head) * head_dim
                                  : k_out + (token * kv_heads + head - heads) * head_dim;
        rotate<Number>(row + head * head_dim, to, head_dim, half, cosine, sine, writer);
      }
      const Stored* values = row + (heads + kv_heads) * head_dim;
      Stored* values_out = v_out + token * kv_heads * head_dim;
      each_wide(kv_heads * head_dim, [=](std::int64_t i, auto left) {
        fetch_behind(values + i);
        writer.copy(values_out + i, values + i, left);
      });
      writer.finish();
    });
    return 0;
  });
}

/// Stores thirty-two floats in the order of Number; every NaN stays NaN in bf16 (Bf16::nearest()).
template <class Number>
TACTUS_INLINE void arrange(float* numbers) {
  const Wide x = Number::arranged(Fp32::load_wide(numbers));
  const Floats nan = all(__builtin_nanf(""));
  store(numbers, choose(is_nan(x.a), nan, x.a));
  store(numbers + kLanes, choose(is_nan(x.b), nan, x.b));
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
    const auto writer = head_writer<Number>(tokens * width[0], head_dim, half,
                                            from[0] == to[0] || from[1] == to[1]);
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
      for (std::int64_t i = 0; i < half; i += kWideLanes) {
        arrange<Number>(cosine + i);
        arrange<Number>(sine + i);
      }
      for (int side = 0; side < 2; ++side) {
        for (std::int64_t i = 0; i < width[side]; i += head_dim) {
          const std::int64_t head = token * width[side] + i;
          rotate<Number>(from[side] + head, to[side] + head, head_dim, half, cosine, sine, writer);
        }
      }
    };
    parallel_workers(call, ceil_div(tokens, stretch), [&](std::int64_t worker, std::int64_t task) {
      float* cosine = static_cast<float*>(call->workspace) + 2 * worker * padded;
      for (std::int64_t t = task * stretch; t < least((task + 1) * stretch, tokens); ++t) {
        one_token(cosine, t);
      }
      writer.finish();
    });
    return 0;
  });
}

/// Past the caches if both ends are aligned.
inline void copy_once(std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes % 64 != 0) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  for (std::int64_t i = 0; i < bytes; i += 64) {
    fetch_behind(reinterpret_cast<const std::uint16_t*>(from + i));
    store_once(to + i, load<Floats>(from + i));
  }
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
