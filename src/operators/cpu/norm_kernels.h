#pragma once

#include "operators/cpu/numbers.h"
#include "operators/cpu/tensors.h"

namespace tactus::TACTUS_ISA {

/// Rows of about 64 KB together, so that a thread has enough work.
inline std::int64_t rows_at_once(std::int64_t row_bytes) {
  return 65536 / (row_bytes > 0 ? row_bytes : 1) + 1;
}

/// term(v) of every vector of a row, in four independent sums.
template <class Number, class Term>
inline float sum_of(const typename Number::Stored* x, std::int64_t count, const Term& term) {
  Floats sums[4] = {};
  std::int64_t i = 0;
  for (; i + 2 * kWideLanes <= count; i += 2 * kWideLanes) {
    for (std::int64_t j = 0; j < 2; ++j) {
      const Wide v = Number::load_wide(x + i + j * kWideLanes);
      sums[2 * j] += term(v.a);
      sums[2 * j + 1] += term(v.b);
    }
  }
  for (; i + kLanes <= count; i += kLanes) sums[0] += term(Number::load(x + i));
  Floats total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  if (i < count) {
    // Zeros at the end must not count, for any term.
    const Floats last = term(Number::load_part(x + i, count - i));
    for (int lane = 0; lane < count - i; ++lane) total[lane] += last[lane];
  }
  return sum(total);
}

template <class Number>
inline float sum_of_squares(const typename Number::Stored* x, std::int64_t count) {
  return sum_of<Number>(x, count, [](Floats v) { return v * v; });
}

/// The factor of a row.
inline float scale_of(float squares, std::int64_t over, float eps) {
  return 1.0f / __builtin_sqrtf(squares / static_cast<float>(over) + eps);
}

/// Calls row(x, out, index, writer) for each row of "x" and "out".
template <class Row>
inline int each_row(const tactus_call* call, const Row& row) {
  return with_number(dtype_of(call, "x"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const std::int64_t rows = extent(call, "x", 0);
    const std::int64_t hidden = extent(call, "x", 1);
    const auto* x = input<Stored>(call, "x");
    auto* out = output<Stored>(call, "out");
    const Writer<Number> writer(rows * hidden, hidden);
    parallel_stretches(call, rows, rows_at_once(hidden * static_cast<int>(sizeof(Stored))),
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) {
                           row(x + i * hidden, out + i * hidden, i, writer);
                         }
                         writer.finish();
                       });
    return 0;
  });
}

template <class Writing>
struct NumberOfWriter;
template <class N>
struct NumberOfWriter<Writer<N>> {
  using Number = N;
};

inline int rms_norm(const tactus_call* call) {
  const std::int64_t hidden = extent(call, "x", 1);
  const auto eps = static_cast<float>(tactus_value(call, "eps", 1e-6));
  const void* weights = tactus_input(call, "weight")->data;
  return each_row(call, [=](const auto* x, auto* out, std::int64_t, auto writer) {
    using Number = typename NumberOfWriter<decltype(writer)>::Number;
    const auto* weight = static_cast<const typename Number::Stored*>(weights);
    const float scale = scale_of(sum_of_squares<Number>(x, hidden), hidden, eps);
    each_wide(hidden, [=](std::int64_t i, auto left) {
      fetch_behind(x + i, hidden);
      writer.put(out + i,
                 take_wide<Number>(x + i, left) * all(scale) * take_wide<Number>(weight + i, left),
                 left);
    });
  });
}

inline int l2_norm(const tactus_call* call) {
  const std::int64_t hidden = extent(call, "x", 1);
  const auto eps = static_cast<float>(tactus_value(call, "eps", 1e-6));
  return each_row(call, [=](const auto* x, auto* out, std::int64_t, auto writer) {
    using Number = typename NumberOfWriter<decltype(writer)>::Number;
    const float scale = scale_of(sum_of_squares<Number>(x, hidden), 1, eps);
    each_wide(hidden, [=](std::int64_t i, auto left) {
      fetch_behind(x + i, hidden);
      writer.put(out + i, take_wide<Number>(x + i, left) * all(scale), left);
    });
  });
}

inline int gated_rms_norm(const tactus_call* call) {
  const std::int64_t hidden = extent(call, "x", 1);
  const auto eps = static_cast<float>(tactus_value(call, "eps", 1e-6));
  const void* weights = tactus_input(call, "weight")->data;
  const void* gates = tactus_input(call, "z")->data;
  return each_row(call, [=](const auto* x, auto* out, std::int64_t row, auto writer) {
    using Number = typename NumberOfWriter<decltype(writer)>::Number;
    using Stored = typename Number::Stored;
    const auto* weight = static_cast<const Stored*>(weights);
    const auto* z = static_cast<const Stored*>(gates) + row * hidden;
    const float scale = scale_of(sum_of_squares<Number>(x, hidden), hidden, eps);
    each_wide(hidden, [=](std::int64_t i, auto left) {
      fetch_behind(x + i, hidden);
      fetch_behind(z + i, hidden);
      const Wide normed =
          take_wide<Number>(x + i, left) * all(scale) * take_wide<Number>(weight + i, left);
      writer.put(out + i, normed * silu(take_wide<Number>(z + i, left)), left);
    });
  });
}

inline int layer_norm(const tactus_call* call) {
  const std::int64_t hidden = extent(call, "x", 1);
  const auto eps = static_cast<float>(tactus_value(call, "eps", 1e-5));
  const void* weights = tactus_input(call, "weight")->data;
  const void* biases = tactus_input(call, "bias")->data;
  return each_row(call, [=](const auto* x, auto* out, std::int64_t, auto writer) {
    using Number = typename NumberOfWriter<decltype(writer)>::Number;
    using Stored = typename Number::Stored;
    const auto* weight = static_cast<const Stored*>(weights);
    const auto* bias = static_cast<const Stored*>(biases);
    // The row stays in the cache: two passes cost less than the accuracy that one pass loses.
    const float mean =
        sum_of<Number>(x, hidden, [](Floats v) { return v; }) / static_cast<float>(hidden);
    const float squares =
        sum_of<Number>(x, hidden, [mean](Floats v) { return (v - mean) * (v - mean); });
    const float scale = scale_of(squares, hidden, eps);
    each_wide(hidden, [=](std::int64_t i, auto left) {
      fetch_behind(x + i, hidden);
      const Wide normed = (take_wide<Number>(x + i, left) - all(mean)) * all(scale);
      writer.put(out + i,
                 normed * take_wide<Number>(weight + i, left) + take_wide<Number>(bias + i, left),
                 left);
    });
  });
}

inline int fused_add_rms_norm(const tactus_call* call) {
  const std::int64_t hidden = extent(call, "x", 1);
  const auto eps = static_cast<float>(tactus_value(call, "eps", 1e-6));
  const void* weights = tactus_input(call, "weight")->data;
  const void* residuals = tactus_input(call, "residual")->data;
  void* sums = tactus_output(call, "residual")->data;
  return each_row(call, [=](const auto* x, auto* out, std::int64_t row, auto writer) {
    using Number = typename NumberOfWriter<decltype(writer)>::Number;
    using Stored = typename Number::Stored;
    const auto* weight = static_cast<const Stored*>(weights);
    const auto* residual = static_cast<const Stored*>(residuals) + row * hidden;
    auto* kept = static_cast<Stored*>(sums) + row * hidden;
    // Adds and rounds again in the second pass, instead of reading the written values back.
    const auto added = [=](std::int64_t i, auto left) {
      return Number::rounded(take_wide<Number>(x + i, left) +
                             take_wide<Number>(residual + i, left));
    };
    Wide squares = {};
    each_wide(hidden, [&squares, added, kept, writer](std::int64_t i, auto left) {
      const Wide r = added(i, left);
      squares = squares + r * r;
      writer.put(kept + i, r, left);
    });
    const float scale = scale_of(sum(squares.a + squares.b), hidden, eps);
    each_wide(hidden, [=](std::int64_t i, auto left) {
      fetch_behind(x + i, hidden);
      fetch_behind(residual + i, hidden);
      writer.put(out + i, added(i, left) * all(scale) * take_wide<Number>(weight + i, left), left);
    });
  });
}

inline int fused_qk_rmsnorm(const tactus_call* call) {
  return with_number(dtype_of(call, "hidden"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const auto* x = input<Stored>(call, "hidden");
    const auto* q_weight = input<Stored>(call, "q_weight");
    const auto* k_weight = input<Stored>(call, "k_weight");
    auto* out = output<Stored>(call, "out");
    const auto eps = static_cast<float>(tactus_value(call, "eps", 1e-6));
    const std::int64_t heads = whole(call, "heads");
    const std::int64_t kv_heads = whole(call, "kv_heads");
    const std::int64_t head_dim = extent(call, "q_weight", 0);
    const std::int64_t all_heads = heads + 2 * kv_heads;
    const std::int64_t count = extent(call, "hidden", 0) * all_heads;
    const Writer<Number> writer(count * head_dim, head_dim);
    parallel_stretches(
        call, count, rows_at_once(head_dim * static_cast<int>(sizeof(Stored))),
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t unit = begin; unit < end; ++unit) {
            const std::int64_t head = unit % all_heads;
            const Stored* from = x + unit * head_dim;
            Stored* to = out + unit * head_dim;
            if (head >= heads + kv_heads) {
              each_wide(head_dim, [=](std::int64_t i, auto left) {
                fetch_behind(from + i, head_dim);
                writer.copy(to + i, from + i, left);
              });
              continue;
            }
            const Stored* weight = head < heads ? q_weight : k_weight;
            const float scale = scale_of(sum_of_squares<Number>(from, head_dim), head_dim, eps);
            each_wide(head_dim, [=](std::int64_t i, auto left) {
              fetch_behind(from + i, head_dim);
              const Wide normed = Number::rounded(take_wide<Number>(from + i, left) * all(scale));
              writer.put(to + i, normed * take_wide<Number>(weight + i, left), left);
            });
          }
          writer.finish();
        });
    return 0;
  });
}

}  // namespace tactus::TACTUS_ISA
