#pragma once

#include "operators/cpu/norm_kernels.h"

namespace tactus::TACTUS_ISA {

inline float largest_of(const std::uint16_t* x, std::int64_t count) {
  Floats best[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    for (int j = 0; j < 4; ++j) {
      best[j] = larger(best[j], absolute(Bf16::load(x + i + j * kLanes)));
    }
  }
  for (; i < count; i += kLanes) {
    best[0] = larger(best[0], absolute(take<Bf16>(x + i, count - i)));
  }
  return largest(larger(larger(best[0], best[1]), larger(best[2], best[3])));
}

template <class Number>
inline void quantise(const std::uint16_t* x, std::uint8_t* q, std::int64_t count, float scale,
                     float limit, Writer<Number> writer) {
  const float inverse = 1.0f / scale;
  each_vector(count, [=](std::int64_t i, auto left) {
    fetch(x + count + i);
    const Floats scaled = take<Bf16>(x + i, left) * inverse;
    writer.put(q + i, smaller(larger(scaled, all(-limit)), all(limit)), left);
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
  parallel_stretches(call, tokens, rows_at_once(hidden * 2),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t row = begin; row < end; ++row) {
                         const std::uint16_t* from = x + row * hidden;
                         scales[row] = most(largest_of(from, hidden), least_amax) / limit;
                         quantise(from, q + row * hidden, hidden, scales[row], limit, writer);
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
  parallel_stretches(call, groups, rows_at_once(size * 2),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t group = begin; group < end; ++group) {
                         const std::uint16_t* from = x + group * size;
                         scales[group] = most(largest_of(from, size) / limit, least_scale);
                         quantise(from, q + group * size, size, scales[group], limit, writer);
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
  const auto row_of = [&](std::int64_t row, std::uint16_t* normed) {
    const std::int64_t at = row * hidden;
    Floats squares = {};
    each_vector(hidden, [=, &squares](std::int64_t i, auto left) {
      fetch(x + at + hidden + i);
      fetch(residual + at + hidden + i);
      const Floats r =
          rounded_bf16(take<Bf16>(x + at + i, left) + take<Bf16>(residual + at + i, left));
      squares += r * r;
      kept_writer.put(kept + at + i, r, left);
      put<Bf16>(normed + i, r, left);
    });
    const float scale = scale_of(sum(squares), hidden, eps);
    Floats best = {};
    each_vector(hidden, [=, &best](std::int64_t i, auto left) {
      const Floats y =
          rounded_bf16(take<Bf16>(normed + i, left) * scale * take<Bf16>(weight + i, left));
      best = larger(best, absolute(y));
      put<Bf16>(normed + i, y, left);
    });
    const float amax = largest(best);
    scales[row] = amax == 0 ? 1 : amax / limit;
    quantise(normed, q + at, hidden, scales[row], limit, writer);
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
