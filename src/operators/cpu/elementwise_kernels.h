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
    // Even a single row is shared among threads: pieces of rows, not rows.
    const auto piece = least<std::int64_t>(round_up(half, kWideLanes), 4096);
    const std::int64_t pieces = ceil_div(half, piece);
    parallel_stretches(
        call, tokens * pieces, 8192 / piece + 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t task = begin; task < end; ++task) {
            const std::int64_t row = task / pieces;
            const Stored* gate = x + row * 2 * half;
            const std::int64_t first = task % pieces * piece;
            const std::int64_t last = least(first + piece, half);
            const Stored* up = gate + half;
            Stored* to = out + row * half;
            each_wide(last - first, [=](std::int64_t at, auto left) {
              const std::int64_t i = first + at;
              fetch_behind(gate + i);
              fetch_behind(up + i);
              const Wide g = Number::rounded(silu(take_wide<Number>(gate + i, left)));
              writer.put(to + i, g * take_wide<Number>(up + i, left), left);
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
                           each_wide(hidden, [=](std::int64_t i, auto left) {
                             Wide total = {};
                             for (std::int64_t slot = 0; slot < slots; ++slot) {
                               fetch_behind(from + slot * hidden + i, slots * hidden);
                               total = total + take_wide<Number>(from + slot * hidden + i, left);
                             }
                             writer.put(to + i, total * all(factor), left);
                           });
                         }
                         writer.finish();
                       });
    return 0;
  });
}

inline constexpr std::int64_t kMostWidth = 8;
using FourTaps = std::integral_constant<std::int64_t, 4>;

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

/// Windows of `taps` numbers that begin at `x` and after, to `out`.
template <class Number, class Taps>
TACTUS_INLINE void slide(const typename Number::Stored* x, typename Number::Stored* out,
                         std::int64_t count, const Floats* factors, float bias, Taps taps,
                         const Writer<Number>& writer) {
  each_wide(count, [=](std::int64_t t, auto left) {
    fetch_behind(x + t);
    Wide y = {all(bias), all(bias)};
    constexpr bool kWhole = std::is_same_v<decltype(left), WholeWide>;
    if constexpr (kWhole && std::is_same_v<Number, Bf16> && std::is_same_v<Taps, FourTaps>) {
      // The odd numbers of a window are the even ones of the next, so none is decoded twice.
      const Wide first = take_wide<Number>(x + t, left);
      const Wide third = take_wide<Number>(x + t + 2, left);
      const Wide last = {third.b, take_wide<Number>(x + t + 3, left).b};
      y = y + factors[0] * first + factors[1] * Wide{first.b, third.a};
      y = y + factors[2] * third + factors[3] * last;
    } else {
      for (std::int64_t k = 0; k < taps; ++k) {
        y = y + factors[k] * take_wide<Number>(x + t + k, left);
      }
    }
    writer.put(out + t, silu(Number::rounded(y)), left);
  });
}

template <class Number>
inline void convolve(const Channel<Number>& channel, typename Number::Stored* out,
                     std::int64_t tokens, const Writer<Number>& writer) {
  using Stored = typename Number::Stored;
  const std::int64_t width = channel.width;
  if (width > kMostWidth) {
    for (std::int64_t t = 0; t < tokens; ++t) {
      put<Number>(out + t, silu(Number::rounded(all(channel.early(t)))), 1);
    }
    return;
  }
  Floats factors[kMostWidth] = {};
  for (std::int64_t k = 0; k < width; ++k) {
    factors[k] = all(Channel<Number>::one(channel.weight + k));
  }
  // The beginning reads the state and then x: in one place, up to the first output line that no
  // other row shares.
  constexpr std::int64_t kMostEarly = kMostWidth + kWideLanes;
  const auto line = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) % 64);
  const std::int64_t aligned = (64 - line) % 64 / static_cast<std::int64_t>(sizeof(Stored));
  const std::int64_t early = least(aligned < width - 1 ? aligned + kWideLanes : aligned, tokens);
  Stored window[kMostWidth + kMostEarly];
  std::memcpy(window, channel.state, static_cast<std::size_t>(width - 1) * sizeof(Stored));
  std::memcpy(window + width - 1, channel.x, static_cast<std::size_t>(early) * sizeof(Stored));
  const Stored* rest = channel.x + early - (width - 1);
  const auto both = [&](auto taps) {
    slide(window, out, early, factors, channel.bias, taps, Writer<Number>(false));
    if (early == tokens) return;
    slide(rest, out + early, tokens - early, factors, channel.bias, taps, writer);
  };
  if (width == 4) {
    both(FourTaps());  // the usual case of models, unrolled
  } else {
    both(width);
  }
}

/// One token: sixteen channels at a time, because each has a single number.
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
    // Lines that two rows share are written through the caches.
    const Writer<Number> writer(Writer<Number>::large(channels * tokens));
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
