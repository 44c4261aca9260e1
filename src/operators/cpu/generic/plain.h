#pragma once

#include <cmath>

#include "operators/cpu/generic/rows.h"
#include "operators/cpu/product_kernels.h"

namespace tactus::TACTUS_ISA {

// The generic operators in the plain way: right, and not slow on purpose.

/// make(number of x) for each vector of the output.
template <class Number, class Make>
inline void each_of_output(const tactus_call* call, const Make& make) {
  using Stored = typename Number::Stored;
  const auto* x = input<Stored>(call, "x");
  auto* out = output<Stored>(call, "out");
  parallel_stretches(call, extent(call, "x", 0), kNumbersAtOnce,
                     [&](std::int64_t begin, std::int64_t end) {
                       each_vector(end - begin, [&](std::int64_t at, auto left) {
                         const std::int64_t i = begin + at;
                         put<Number>(out + i, make(take<Number>(x + i, left)), left);
                       });
                     });
}

inline int plain_silu(const tactus_call* call) {
  return with_number(dtype_of(call, "x"), [&](auto number) {
    each_of_output<decltype(number)>(call, [](Floats x) { return silu(x); });
    return 0;
  });
}

inline int plain_gelu(const tactus_call* call) {
  return with_number(dtype_of(call, "x"), [&](auto number) {
    each_of_output<decltype(number)>(call, [](Floats x) {
      Floats result = {};
      for (int i = 0; i < kLanes; ++i) {
        result[i] = 0.5f * x[i] * (1.0f + std::erf(x[i] * 0.70710678118654752f));
      }
      return result;
    });
    return 0;
  });
}

inline int plain_copy(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const std::int64_t width = x->dtype == TACTUS_FP32 ? 4 : x->dtype == TACTUS_FP8_E4M3 ? 1 : 2;
  const auto* from = static_cast<const unsigned char*>(x->data);
  auto* to = output<unsigned char>(call, "out");
  parallel_stretches(call, x->shape[0] * width, 4 * kNumbersAtOnce,
                     [&](std::int64_t begin, std::int64_t end) {
                       std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
                     });
  return 0;
}

/// body(Number{}) for the types above, and fp8.
template <class Body>
inline int with_any_number(std::int32_t dtype, const Body& body) {
  return dtype == TACTUS_FP8_E4M3 ? body(E4m3{}) : with_number(dtype, body);
}

inline int plain_cast(const tactus_call* call) {
  return with_any_number(dtype_of(call, "x"), [&](auto from) {
    return with_any_number(tactus_output(call, "out")->dtype, [&](auto into) {
      using From = decltype(from);
      using Into = decltype(into);
      const auto* x = input<typename From::Stored>(call, "x");
      auto* out = output<typename Into::Stored>(call, "out");
      parallel_stretches(call, extent(call, "x", 0), kNumbersAtOnce,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t i = begin; i < end; i += kLanes) {
                             put<Into>(out + i, take<From>(x + i, end - i), end - i);
                           }
                         });
      return 0;
    });
  });
}

template <class Number>
inline void softmax_row(const typename Number::Stored* x, typename Number::Stored* out,
                        std::int64_t columns) {
  const Floats none = all(-__builtin_inff());
  const Ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const auto there = [&](std::int64_t i) {
    const auto limit = static_cast<std::int32_t>(least(columns - i, kLanes));
    return choose(lane < limit, take<Number>(x + i, columns - i), none);
  };
  Floats best = none;
  for (std::int64_t i = 0; i < columns; i += kLanes) best = larger(best, there(i));
  const float top = largest(best);
  Floats total = {};
  for (std::int64_t i = 0; i < columns; i += kLanes) total += exponential(there(i) - top);
  const float sum_of_row = sum(total);
  for (std::int64_t i = 0; i < columns; i += kLanes) {
    put<Number>(out + i, exponential(there(i) - top) / sum_of_row, columns - i);
  }
}

inline int plain_softmax(const tactus_call* call) {
  return with_number(dtype_of(call, "x"), [&](auto number) {
    using Stored = typename decltype(number)::Stored;
    const std::int64_t columns = extent(call, "x", 1);
    const auto* x = input<Stored>(call, "x");
    auto* out = output<Stored>(call, "out");
    parallel_stretches(call, extent(call, "x", 0), kNumbersAtOnce / columns + 1,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t row = begin; row < end; ++row) {
                           softmax_row<decltype(number)>(x + row * columns, out + row * columns,
                                                         columns);
                         }
                       });
    return 0;
  });
}

inline std::int64_t last_extent(const tactus_call* call, const char* name, int from_the_end) {
  const tactus_tensor* tensor = tactus_input(call, name);
  return tensor->shape[tensor->rank - from_the_end];
}

inline std::size_t gemm_workspace(const tactus_call* call) {
  return product_workspace(call, last_extent(call, "a", 1));
}

inline int gemm(const tactus_call* call) {
  const std::int64_t m = last_extent(call, "a", 2);
  const std::int64_t k = last_extent(call, "a", 1);
  const std::int64_t n = last_extent(call, "b", 2);
  const std::int64_t batch = tactus_input(call, "a")->rank == 3 ? extent(call, "a", 0) : 1;
  const std::int32_t out_type = tactus_output(call, "out")->dtype;
  return with_any_number(dtype_of(call, "a"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    for (std::int64_t each = 0; each < batch; ++each) {
      const HalfRows<Number> a{input<Stored>(call, "a") + each * m * k, k};
      const HalfRows<Number> b{input<Stored>(call, "b") + each * n * k, k};
      multiply_all(
          call, a, m, b, n, k,
          [&](std::int64_t row, std::int64_t column, std::int64_t count, const float* block) {
            const std::int64_t first = (each * m + row) * n + column;
            with_number(out_type, [&](auto result) {
              auto* out = output<typename decltype(result)::Stored>(call, "out") + first;
              for (std::int64_t i = 0; i < count; i += kLanes) {
                put<decltype(result)>(out + i, load<Floats>(block + i), count - i);
              }
              return 0;
            });
          });
    }
    return 0;
  });
}

/// The buffers of a worker: a query, the scores of all keys, the sum of their values.
struct PlainScores {
  float* query;
  float* scores;
  float* sums;

  static PlainScores carve(Carver& carver, const tactus_call* call) {
    PlainScores scratch = {};
    scratch.query = carver.take<float>(round_up(last_extent(call, "q", 1), kLanes));
    scratch.scores = carver.take<float>(round_up(extent(call, "k", 1), kLanes));
    scratch.sums = carver.take<float>(round_up(last_extent(call, "v", 1), kLanes));
    return scratch;
  }
};

inline std::size_t attention_workspace(const tactus_call* call) {
  Carver carver(nullptr);
  PlainScores::carve(carver, call);
  return carver.used() * static_cast<std::size_t>(call->threads);
}

/// Rows of one head: the keys or the values of a sequence.
template <class Number>
struct HeadRows {
  const typename Number::Stored* first;
  std::int64_t stride;
  std::int64_t width;

  TACTUS_INLINE Floats operator()(std::int64_t row, std::int64_t i) const {
    return take<Number>(first + row * stride + i, width - i);
  }
};

/// e^(score - largest) in place of the scores; their sum.
inline float soften_all(float* scores, std::int64_t count) {
  float top = scores[0];
  for (std::int64_t j = 1; j < count; ++j) top = most(top, scores[j]);
  // What is beyond the end counts nothing.
  for (std::int64_t j = count; j < round_up(count, kLanes); ++j) scores[j] = -__builtin_inff();
  Floats total = {};
  for (std::int64_t j = 0; j < count; j += kLanes) {
    const Floats weight = exponential(load<Floats>(scores + j) - top);
    total += weight;
    store(scores + j, weight);
  }
  return sum(total);
}

template <class Number>
inline void attend_row(const PlainScores& scratch, const typename Number::Stored* query,
                       const HeadRows<Number>& keys, const HeadRows<Number>& values,
                       std::int64_t seen, float scale, typename Number::Stored* out) {
  for (std::int64_t i = 0; i < keys.width; i += kLanes) {
    store(scratch.query + i, take<Number>(query + i, keys.width - i));
  }
  for (std::int64_t j = 0; j < seen; ++j) {
    Floats product = {};
    for (std::int64_t i = 0; i < keys.width; i += kLanes) {
      product += load<Floats>(scratch.query + i) * keys(j, i);
    }
    scratch.scores[j] = sum(product) * scale;
  }
  const float total = soften_all(scratch.scores, seen);
  for (std::int64_t i = 0; i < values.width; i += kLanes) {
    Floats mixed = {};
    for (std::int64_t j = 0; j < seen; ++j) mixed += scratch.scores[j] * values(j, i);
    put<Number>(out + i, mixed / total, values.width - i);
  }
}

inline int attention(const tactus_call* call) {
  return with_half(dtype_of(call, "q"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const std::int64_t queries = extent(call, "q", 1);
    const std::int64_t heads = extent(call, "q", 2);
    const std::int64_t width = extent(call, "q", 3);
    const std::int64_t key_count = extent(call, "k", 1);
    const std::int64_t kv_heads = extent(call, "k", 2);
    const std::int64_t value_width = extent(call, "v", 3);
    const auto scale = static_cast<float>(tactus_value(call, "scale", 1));
    const bool causal = whole(call, "causal") != 0;
    const auto* q = input<Stored>(call, "q");
    auto* out = output<Stored>(call, "out");
    const std::int64_t tasks = extent(call, "q", 0) * queries * heads;
    parallel_workers(call, tasks, [&](std::int64_t worker, std::int64_t task) {
      Carver carver(call->workspace);
      PlainScores scratch = {};
      for (std::int64_t i = 0; i <= worker; ++i) scratch = PlainScores::carve(carver, call);
      const std::int64_t query = task / heads % queries;
      const std::int64_t sequence = task / heads / queries;
      const std::int64_t kv_head = task % heads / (heads / kv_heads);
      const std::int64_t first = sequence * key_count * kv_heads + kv_head;
      const HeadRows<Number> keys{input<Stored>(call, "k") + first * width, kv_heads * width,
                                  width};
      const HeadRows<Number> values{input<Stored>(call, "v") + first * value_width,
                                    kv_heads * value_width, value_width};
      attend_row<Number>(scratch, q + task * width, keys, values,
                         causal ? key_count - queries + query + 1 : key_count, scale,
                         out + task * value_width);
    });
    return 0;
  });
}

}  // namespace tactus::TACTUS_ISA
