#pragma once

#include <type_traits>

#include "operators/cpu/norm_kernels.h"

namespace tactus::TACTUS_ISA {

inline int silu_and_mul(const tactus_call* call) {
  return with_number(dtype_of(call, "x"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const auto* x = input<Stored>(call, "x");
    auto* out = output<Stored>(call, "out");
    const std::int64_t tokens = extent(call, "x", 0);
    const std::int64_t half = extent(call, "x", 1) / 2;
    const Writer<Number> writer(tokens * half, half);
    // A single row is still worth sharing: pieces of rows, not rows.
    const std::int64_t piece = least<std::int64_t>(round_up(half, kLanes), 4096);
    const std::int64_t pieces = ceil_div(half, piece);
    parallel_stretches(call, tokens * pieces, 8192 / piece + 1,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t task = begin; task < end; ++task) {
                           const std::int64_t row = task / pieces;
                           const Stored* gate = x + row * 2 * half;
                           const std::int64_t first = task % pieces * piece;
                           const std::int64_t last = least(first + piece, half);
                           const Stored* up = gate + half;
                           Stored* to = out + row * half;
                           each_vector(last - first, [=](std::int64_t at, auto left) {
                             const std::int64_t i = first + at;
                             const Floats g = Number::rounded(silu(take<Number>(gate + i, left)));
                             writer.put(to + i, g * take<Number>(up + i, left), left);
                           });
                         }
                         writer.finish();
                       });
    return 0;
  });
}

inline int moe_sum_reduce(const tactus_call* call) {
  return with_number(dtype_of(call, "x"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const auto* x = input<Stored>(call, "x");
    auto* out = output<Stored>(call, "out");
    const std::int64_t tokens = extent(call, "x", 0);
    const std::int64_t slots = extent(call, "x", 1);
    const std::int64_t hidden = extent(call, "x", 2);
    const auto factor = static_cast<float>(tactus_value(call, "factor", 1));
    const Writer<Number> writer(tokens * hidden, hidden);
    parallel_stretches(call, tokens, rows_at_once(slots * hidden * 2),
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t row = begin; row < end; ++row) {
                           const Stored* from = x + row * slots * hidden;
                           Stored* to = out + row * hidden;
                           each_vector(hidden, [=](std::int64_t i, auto left) {
                             Floats total = {};
                             for (std::int64_t slot = 0; slot < slots; ++slot) {
                               total += take<Number>(from + slot * hidden + i, left);
                             }
                             writer.put(to + i, total * factor, left);
                           });
                         }
                         writer.finish();
                       });
    return 0;
  });
}

/// One channel of the convolution.
template <class Number>
struct Channel {
  using Stored = typename Number::Stored;
  const Stored* x;
  const Stored* weight;
  const Stored* state;
  float bias;
  std::int64_t width;

  static float one(const Stored* from) { return Number::load_part(from, 1)[0]; }

  /// Before the activation, where the window begins in the state.
  float early(std::int64_t t) const {
    float y = bias;
    for (std::int64_t k = 0; k < width; ++k) {
      const std::int64_t time = t + k - (width - 1);
      y += one(weight + k) * (time < 0 ? one(state + time + width - 1) : one(x + time));
    }
    return y;
  }
};

template <class Number>
inline void convolve(const Channel<Number>& channel, typename Number::Stored* out,
                     std::int64_t tokens, const Writer<Number>& writer) {
  constexpr std::int64_t kMostWidth = 8;
  const std::int64_t width = channel.width;
  // Vectors begin where stores are aligned; those whose window reaches the state go one by one.
  const std::int64_t early =
      least(width <= kMostWidth ? round_up(width - 1, kLanes) : tokens, tokens);
  for (std::int64_t t = 0; t < early; t += kLanes) {
    Floats y = {};
    const std::int64_t count = least(kLanes, early - t);
    for (std::int64_t i = 0; i < count; ++i) y[i] = channel.early(t + i);
    put<Number>(out + t, silu(Number::rounded(y)), count);
  }
  float weight[kMostWidth] = {};
  for (std::int64_t k = 0; k < least(width, kMostWidth); ++k) {
    weight[k] = Channel<Number>::one(channel.weight + k);
  }
  const auto slide = [&](auto taps) {
    const auto* x = channel.x + early - (taps - 1);
    const float bias = channel.bias;
    Floats factors[kMostWidth];
    for (std::int64_t k = 0; k < taps; ++k) factors[k] = all(weight[k]);
    each_vector(tokens - early, [&, bias, writer](std::int64_t t, auto left) {
      Floats y = all(bias);
      for (std::int64_t k = 0; k < taps; ++k) y += factors[k] * take<Number>(x + t + k, left);
      writer.put(out + early + t, silu(Number::rounded(y)), left);
    });
  };
  if (early == tokens) return;
  if (width == 4) {
    slide(std::integral_constant<std::int64_t, 4>());  // what models have, unrolled
  } else {
    slide(width);
  }
}

/// One token: sixteen channels at a time, as each has a single number.
template <class Number>
inline void convolve_one_token(const Channel<Number>& first, const typename Number::Stored* bias,
                               typename Number::Stored* out, std::int64_t channels) {
  using Stored = typename Number::Stored;
  const std::int64_t width = first.width;
  for (std::int64_t c = 0; c < channels; c += kLanes) {
    const std::int64_t count = least(kLanes, channels - c);
    Floats y = take<Number>(bias + c, count);
    Stored weights[kLanes] = {};
    Stored window[kLanes] = {};
    for (std::int64_t k = 0; k < width; ++k) {
      for (std::int64_t i = 0; i < count; ++i) {
        weights[i] = first.weight[(c + i) * width + k];
        window[i] = k + 1 < width ? first.state[(c + i) * (width - 1) + k] : first.x[c + i];
      }
      y += Number::load(weights) * Number::load(window);
    }
    put<Number>(out + c, silu(Number::rounded(y)), count);
  }
}

inline int causal_conv1d(const tactus_call* call) {
  return with_number(dtype_of(call, "x"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const auto* bias = input<Stored>(call, "bias");
    auto* out = output<Stored>(call, "out");
    const std::int64_t channels = extent(call, "x", 0);
    const std::int64_t tokens = extent(call, "x", 1);
    const std::int64_t width = extent(call, "weight", 1);
    const auto channel = [&](std::int64_t c) {
      return Channel<Number>{input<Stored>(call, "x") + c * tokens,
                             input<Stored>(call, "weight") + c * width,
                             input<Stored>(call, "initial_state") + c * (width - 1),
                             Channel<Number>::one(bias + c), width};
    };
    const Writer<Number> writer(channels * tokens, tokens);
    const std::int64_t stretch = tokens == 1 ? 512 : rows_at_once(tokens * 4);
    parallel_stretches(call, channels, stretch, [&](std::int64_t begin, std::int64_t end) {
      if (tokens == 1) {
        convolve_one_token(channel(begin), bias + begin, out + begin, end - begin);
        return;
      }
      for (std::int64_t c = begin; c < end; ++c) {
        convolve(channel(c), out + c * tokens, tokens, writer);
      }
      writer.finish();
    });
    return 0;
  });
}

}  // namespace tactus::TACTUS_ISA
