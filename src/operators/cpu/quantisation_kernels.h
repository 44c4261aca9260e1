#pragma once

#include "operators/cpu/norm_kernels.h"

namespace tactus::TACTUS_ISA {

/// The largest magnitude of a row, compared as bits: they have the same order.
inline float largest_of(const std::uint16_t* x, std::int64_t count) {
  ShortWords best[2] = {};
  std::int64_t i = 0;
  for (; i + 2 * kWideLanes <= count; i += 2 * kWideLanes) {
    for (int j = 0; j < 2; ++j) {
      best[j] = larger(best[j], load<ShortWords>(x + i + j * kWideLanes) & std::uint16_t{0x7fff});
    }
  }
  for (; i < count; i += kWideLanes) {
    const ShortWords v =
        count - i >= kWideLanes ? load<ShortWords>(x + i) : load_part<ShortWords>(x + i, count - i);
    best[0] = larger(best[0], v & std::uint16_t{0x7fff});
  }
  return __builtin_bit_cast(float, std::uint32_t{largest(larger(best[0], best[1]))} << 16);
}

template <class Number>
TACTUS_INLINE void quantise(const std::uint16_t* x, std::uint8_t* q, std::int64_t count,
                            float scale, float limit, bool once) {
  const Floats inverse = all(1.0f / scale);
  each_wide(count, [=](std::int64_t i, auto left) {
    fetch_behind(x + i, count);
    const Words both = left == kWideLanes ? load<Words>(x + i) : load_part<Words>(x + i, left);
    const Halves codes = Number::scaled(both, inverse, all(limit));
    if (once) {
      store_once(q + i, codes);
    } else {
      std::memcpy(q + i, &codes, static_cast<std::size_t>(left));
    }
  });
}

inline int fp8_dynamic_per_token_quant(const tactus_call* call) {
  const auto* x = input<std::uint16_t>(call, "x");
  auto* q = output<std::uint8_t>(call, "q");
  auto* scales = output<float>(call, "scale");
  const std::int64_t tokens = extent(call, "x", 0);
  const std::int64_t hidden = extent(call, "x", 1);
  const auto limit = static_cast<float>(tactus_value(call, "fp8_max", 240));
  const auto least_amax = static_cast<float>(tactus_value(call, "least_amax", 1e-12));
  const Writer<E4m3Fnuz> writer(tokens * hidden, hidden);
  parallel_stretches(
      call, tokens, rows_at_once(hidden * 2), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::uint16_t* from = x + row * hidden;
          scales[row] = most(largest_of(from, hidden), least_amax) / limit;
          quantise<E4m3Fnuz>(from, q + row * hidden, hidden, scales[row], limit, writer.once);
        }
        writer.finish();
      });
  return 0;
}

template <class Number>
inline int quantise_groups(const tactus_call* call) {
  const auto* x = input<std::uint16_t>(call, "x");
  auto* q = output<std::uint8_t>(call, "quantized");
  auto* scales = output<float>(call, "scales");
  const std::int64_t size = whole(call, "group_size");
  const std::int64_t groups = extent(call, "x", 0) * (extent(call, "x", 1) / size);
  const auto limit = static_cast<float>(tactus_value(call, "fp8_max", 448));
  const auto least_scale = static_cast<float>(tactus_value(call, "least_scale", 1e-10));
  const Writer<Number> writer(groups * size, size);
  parallel_stretches(
      call, groups, rows_at_once(size * 2), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t group = begin; group < end; ++group) {
          const std::uint16_t* from = x + group * size;
          scales[group] = most(largest_of(from, size) / limit, least_scale);
          quantise<Number>(from, q + group * size, size, scales[group], limit, writer.once);
        }
        writer.finish();
      });
  return 0;
}

inline int per_token_group_quant_fp8(const tactus_call* call) {
  const bool fnuz = tactus_output(call, "quantized")->dtype == TACTUS_FP8_E4M3_FNUZ;
  return fnuz ? quantise_groups<E4m3Fnuz>(call) : quantise_groups<E4m3>(call);
}

inline std::size_t fused_rmsnorm_quant_workspace(const tactus_call* call) {
  return static_cast<std::size_t>(call->threads * round_up(extent(call, "x", 1), 128) * 2);
}

inline int fused_rmsnorm_quant(const tactus_call* call) {
  const auto* x = input<std::uint16_t>(call, "x");
  const auto* residual = input<std::uint16_t>(call, "residual");
  const auto* weight = input<std::uint16_t>(call, "weight");
  auto* q = output<std::uint8_t>(call, "quantized");
  auto* scales = output<float>(call, "scale");
  auto* kept = output<std::uint16_t>(call, "residual_out");
  const std::int64_t tokens = extent(call, "x", 0);
  const std::int64_t hidden = extent(call, "x", 1);
  const auto eps = static_cast<float>(tactus_value(call, "eps", 1e-5));
  const auto limit = static_cast<float>(tactus_value(call, "fp8_max", 240));
  const Writer<E4m3Fnuz> writer(tokens * hidden, hidden);
  const Writer<Bf16> kept_writer(tokens * hidden, hidden);
  const Writer<Bf16> cached_writer(false);
  const auto row_of = [&](std::int64_t row, std::uint16_t* normed) {
    const std::int64_t at = row * hidden;
    Wide squares = {};
    each_wide(hidden, [=, &squares](std::int64_t i, auto left) {
      fetch_behind(x + at + i, hidden);
      fetch_behind(residual + at + i, hidden);
      const Wide r = Bf16::rounded(take_wide<Bf16>(x + at + i, left) +
                                   take_wide<Bf16>(residual + at + i, left));
      squares = squares + r * r;
      kept_writer.put(kept + at + i, r, left);
      cached_writer.put(normed + i, r, left);
    });
    const float scale = scale_of(sum(squares.a + squares.b), hidden, eps);
    each_wide(hidden, [=](std::int64_t i, auto left) {
      cached_writer.put(
          normed + i,
          take_wide<Bf16>(normed + i, left) * all(scale) * take_wide<Bf16>(weight + i, left), left);
    });
    const float amax = largest_of(normed, hidden);
    scales[row] = amax == 0 ? 1 : amax / limit;
    quantise<E4m3Fnuz>(normed, q + at, hidden, scales[row], limit, writer.once);
  };
  const std::int64_t stretch = rows_at_once(hidden * 4);
  parallel_workers(call, ceil_div(tokens, stretch), [&](std::int64_t worker, std::int64_t task) {
    auto* normed = static_cast<std::uint16_t*>(call->workspace) + worker * round_up(hidden, 128);
    for (std::int64_t row = task * stretch; row < least((task + 1) * stretch, tokens); ++row) {
      row_of(row, normed);
    }
    writer.finish();
  });
  return 0;
}

}  // namespace tactus::TACTUS_ISA
