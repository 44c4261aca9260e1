#pragma once

#include "operators/cpu/delta_rule_kernels.h"

namespace tactus::TACTUS_ISA {

// gated_delta_rule_update: a task is a stripe of columns of one head's state, token by token. A
// token's update and the first product of the next token share one pass over the state.

inline constexpr int kUpdateVectors = 4;

struct UpdateScratch {
  float* state;         ///< [key][stripe]
  float *q, *k, *next;  ///< [key], of length 1

  static UpdateScratch carve(Carver& carver, const DeltaSizes& s, std::int64_t stripe) {
    UpdateScratch scratch = {};
    scratch.state = carver.take<float>(s.key * stripe);
    scratch.q = carver.take<float>(s.padded_key());
    scratch.k = carver.take<float>(s.padded_key());
    scratch.next = carver.take<float>(s.padded_key());
    return scratch;
  }
};

inline std::size_t gated_delta_rule_update_workspace(const tactus_call* call) {
  const DeltaSizes s = delta_sizes(call, "k", "v");
  Carver carver(nullptr);
  UpdateScratch::carve(carver, s, stripe_columns(call, s, kUpdateVectors * kLanes));
  return carver.used() * static_cast<std::size_t>(call->threads);
}

/// Scales rows to length 1, unless they are shorter than `smallest`.
inline void normalise(const std::uint16_t* from, std::int64_t count, float smallest, float* to) {
  Floats squares = {};
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const Floats v = take<Bf16>(from + i, count - i);
    squares += v * v;
    store(to + i, v);
  }
  const float inverse = 1.0f / most(__builtin_sqrtf(sum(squares)), smallest);
  for (std::int64_t i = 0; i < count; i += kLanes) store(to + i, load<Floats>(to + i) * inverse);
}

/// One token: state = state * decay + k error; `out` is q times that, `seen` is the product with
/// the next key.
template <int kVectors>
inline void update_state(std::int64_t keys, std::int64_t stripe, const UpdateScratch& scratch,
                         float decay, const Floats* error, Floats* out, Floats* seen) {
  Floats products[kVectors] = {};
  Floats next[kVectors] = {};
  for (std::int64_t d = 0; d < keys; ++d) {
    float* row = scratch.state + d * stripe;
    for (int v = 0; v < kVectors; ++v) {
      const Floats state = load<Floats>(row + v * kLanes) * decay + scratch.k[d] * error[v];
      products[v] += scratch.q[d] * state;
      next[v] += scratch.next[d] * state;
      store(row + v * kLanes, state);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    out[v] = products[v];
    seen[v] = next[v];
  }
}

inline float bf16_number(const std::uint16_t* from) {
  return Bf16::load_part(from, 1)[0];
}

inline int gated_delta_rule_update(const tactus_call* call) {
  const DeltaSizes s = delta_sizes(call, "k", "v");
  const auto* rates = input<float>(call, "A_log");
  const auto* a = input<std::uint16_t>(call, "a");
  const auto* biases = input<std::uint16_t>(call, "dt_bias");
  const auto* q = input<std::uint16_t>(call, "q");
  const auto* k = input<std::uint16_t>(call, "k");
  const auto* v = input<std::uint16_t>(call, "v");
  const auto* b = input<std::uint16_t>(call, "b");
  const auto* indices = input<std::int32_t>(call, "indices");
  auto* out = output<std::uint16_t>(call, "out");
  auto* states = output<float>(call, "final_state");
  const auto scale = static_cast<float>(tactus_value(call, "scale", 1));
  const auto smallest = static_cast<float>(tactus_value(call, "smallest_norm", 1e-6));
  const std::int64_t stripe = stripe_columns(call, s, kUpdateVectors * kLanes);
  const std::int64_t stripes = ceil_div(s.value, stripe);
  const auto update = stripe == 4 * kLanes   ? update_state<4>
                      : stripe == 3 * kLanes ? update_state<3>
                      : stripe == 2 * kLanes ? update_state<2>
                                             : update_state<1>;

  const auto all_tokens = [&](UpdateScratch& scratch, std::int64_t sequence, std::int64_t head,
                              std::int64_t column, std::int64_t columns) {
    const std::int64_t shared = shared_head(head, s.heads, s.shared_heads);
    const auto qk_first = [&](std::int64_t t) {
      return ((sequence * s.tokens + t) * s.shared_heads + shared) * s.key;
    };
    const float rate = exponential(rates[head]);
    const float bias = bf16_number(biases + head);
    Floats error[kUpdateVectors] = {};
    Floats product[kUpdateVectors] = {};
    Floats seen[kUpdateVectors] = {};
    // The product of the first key with the old state.
    normalise(k + qk_first(0), s.key, smallest, scratch.next);
    for (std::int64_t d = 0; d < s.key; ++d) {
      for (std::int64_t c = 0; c < stripe; c += kLanes) {
        seen[c / kLanes] += scratch.next[d] * load<Floats>(scratch.state + d * stripe + c);
      }
    }
    for (std::int64_t t = 0; t < s.tokens; ++t) {
      const std::int64_t row = (sequence * s.tokens + t) * s.heads + head;
      const float x = bf16_number(a + row) + bias;
      const float decay = exponential(-rate * (x > 20 ? x : __builtin_log1pf(exponential(x))));
      const float beta = 1.0f / (1.0f + exponential(-bf16_number(b + row)));
      float* const done = scratch.k;
      scratch.k = scratch.next;
      scratch.next = done;
      normalise(q + qk_first(t), s.key, smallest, scratch.q);
      normalise(k + qk_first(least(t + 1, s.tokens - 1)), s.key, smallest, scratch.next);
      for (std::int64_t c = 0; c < columns; c += kLanes) {
        const Floats value = take<Bf16>(v + row * s.value + column + c, columns - c);
        error[c / kLanes] = (value - seen[c / kLanes] * decay) * beta;
      }
      update(s.key, stripe, scratch, decay, error, product, seen);
      for (std::int64_t c = 0; c < columns; c += kLanes) {
        put<Bf16>(out + row * s.value + column + c, product[c / kLanes] * scale, columns - c);
      }
    }
  };
  parallel_workers(call, s.batch * s.heads * stripes, [&](std::int64_t worker, std::int64_t task) {
    Carver carver(call->workspace);
    UpdateScratch scratch = {};
    for (std::int64_t i = 0; i <= worker; ++i) scratch = UpdateScratch::carve(carver, s, stripe);
    const std::int64_t column = task % stripes * stripe;
    const std::int64_t columns = least(stripe, s.value - column);
    const std::int64_t head = task / stripes % s.heads;
    const std::int64_t sequence = task / stripes / s.heads;
    float* pool = states + (indices[sequence] * s.heads + head) * s.key * s.value + column;
    for (std::int64_t d = 0; d < s.key; ++d) {
      for (std::int64_t c = 0; c < stripe; c += kLanes) {
        store(scratch.state + d * stripe + c,
              c < columns ? take<Fp32>(pool + d * s.value + c, columns - c) : Floats{});
      }
    }
    all_tokens(scratch, sequence, head, column, columns);
    for (std::int64_t d = 0; d < s.key; ++d) {
      for (std::int64_t c = 0; c < columns; c += kLanes) {
        put<Fp32>(pool + d * s.value + c, load<Floats>(scratch.state + d * stripe + c),
                  columns - c);
      }
    }
  });
  return 0;
}

}  // namespace tactus::TACTUS_ISA
