#pragma once

#include "operators/cpu/tiles.h"

namespace tactus::TACTUS_ISA {

inline float exponential(float x) {
  return exponential(all(x))[0];
}

struct DeltaSizes {
  std::int64_t batch, tokens, shared_heads, heads, key, value, chunk;

  std::int64_t chunks() const { return ceil_div(tokens, chunk); }
  std::int64_t padded_chunk() const { return round_up(chunk, kLanes); }
  std::int64_t padded_key() const { return round_up(key, kLanes); }
  std::int64_t padded_value() const { return round_up(value, kLanes); }
};

inline DeltaSizes delta_sizes(const tactus_call* call, const char* shared, const char* own) {
  const tactus_tensor* k = tactus_input(call, shared);
  const tactus_tensor* v = tactus_input(call, own);
  return {k->shape[0],
          k->shape[1],
          k->shape[2],
          v->shape[2],
          k->shape[3],
          v->shape[3],
          most<std::int64_t>(whole(call, "chunk"), 1)};
}

/// Rows of bf16 numbers that are `stride` apart.
struct SpacedRows {
  const std::uint16_t* data;
  std::int64_t stride;

  TACTUS_INLINE Floats operator()(std::int64_t row, std::int64_t i, std::int64_t left) const {
    return take<Bf16>(data + row * stride + i, left);
  }
};

// chunk_delta_rule_output: a task is a chunk of one head of q and k, with all heads that share it.

struct OutputScratch {
  float *q, *k, *products, *weights, *state, *v, *out;

  static OutputScratch carve(Carver& carver, const DeltaSizes& s) {
    OutputScratch scratch = {};
    scratch.q = carver.take<float>(s.chunk * s.padded_key());
    scratch.k = carver.take<float>(s.padded_key() * s.padded_chunk());
    scratch.products = carver.take<float>(s.chunk * s.padded_chunk());
    scratch.weights = carver.take<float>(s.chunk * s.padded_chunk());
    scratch.state = carver.take<float>(s.padded_key() * s.padded_value());
    scratch.v = carver.take<float>(s.chunk * s.padded_value());
    scratch.out = carver.take<float>(s.chunk * s.padded_value());
    return scratch;
  }
};

inline std::size_t chunk_delta_rule_output_workspace(const tactus_call* call) {
  Carver carver(nullptr);
  OutputScratch::carve(carver, delta_sizes(call, "k", "v"));
  return carver.used() * static_cast<std::size_t>(call->threads);
}

/// weights[i][j] = bf(e^(g_i - g_j) q_i.k_j) for j <= i with g_i <= g_j, else 0.
inline void weigh_pairs(const DeltaSizes& s, std::int64_t count, const float* g,
                        const OutputScratch& scratch) {
  const Ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (std::int64_t i = 0; i < count; ++i) {
    const float own = g[i * s.heads];
    for (std::int64_t j = 0; j < s.padded_chunk(); j += kLanes) {
      Floats others = {};
      for (std::int64_t n = 0; n < least(kLanes, count - j); ++n) others[n] = g[(j + n) * s.heads];
      const Floats decayed =
          exponential(own - others) * load<Floats>(scratch.products + i * s.padded_chunk() + j);
      const Ints counts = (lane <= static_cast<std::int32_t>(i - j)) & (others >= own);
      store(scratch.weights + i * s.padded_chunk() + j,
            choose(counts, rounded_bf16(decayed), Floats{}));
    }
  }
}

inline int chunk_delta_rule_output(const tactus_call* call) {
  const DeltaSizes s = delta_sizes(call, "k", "v");
  const auto* q = input<std::uint16_t>(call, "q");
  const auto* k = input<std::uint16_t>(call, "k");
  const auto* v = input<std::uint16_t>(call, "v");
  const auto* h = input<std::uint16_t>(call, "h");
  const auto* g = input<float>(call, "g");
  auto* out = output<std::uint16_t>(call, "out");
  const auto scale = static_cast<float>(tactus_value(call, "scale", 1));
  const std::int64_t group = s.heads / s.shared_heads;
  const auto one_head = [&](const OutputScratch& scratch, std::int64_t row, std::int64_t count,
                            std::int64_t head, std::int64_t state) {
    const float* decays = g + row * s.heads + head;
    const std::int64_t v_first = (row * s.heads + head) * s.value;
    weigh_pairs(s, count, decays, scratch);
    decode_rows(SpacedRows{h + state * s.key * s.value, s.value}, s.key, s.value,
                {scratch.state, s.padded_value()});
    decode_rows(SpacedRows{v + v_first, s.heads * s.value}, count, s.value,
                {scratch.v, s.padded_value()});
    multiply(count, s.value, s.key, {scratch.q, s.padded_key()}, {scratch.state, s.padded_value()},
             {scratch.out, s.padded_value()}, false);
    for (std::int64_t i = 0; i < count; ++i) {
      const float decay = exponential(decays[i * s.heads]);
      for (std::int64_t c = 0; c < s.value; c += kLanes) {
        float* at = scratch.out + i * s.padded_value() + c;
        store(at, load<Floats>(at) * decay);
      }
    }
    for (std::int64_t i = 0; i < count; i += kTileRows) {
      // Later tokens have weight 0.
      const auto rows = least<std::int64_t>(kTileRows, count - i);
      multiply(rows, s.value, i + rows, {scratch.weights + i * s.padded_chunk(), s.padded_chunk()},
               {scratch.v, s.padded_value()},
               {scratch.out + i * s.padded_value(), s.padded_value()}, true);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t c = 0; c < s.value; c += kLanes) {
        put<Bf16>(out + v_first + i * s.heads * s.value + c,
                  load<Floats>(scratch.out + i * s.padded_value() + c) * scale, s.value - c);
      }
    }
  };
  parallel_workers(
      call, s.batch * s.chunks() * s.shared_heads, [&](std::int64_t worker, std::int64_t task) {
        Carver carver(call->workspace);
        OutputScratch scratch = {};
        for (std::int64_t i = 0; i <= worker; ++i) scratch = OutputScratch::carve(carver, s);
        const std::int64_t shared = task % s.shared_heads;
        const std::int64_t chunk = task / s.shared_heads % s.chunks();
        const std::int64_t sequence = task / s.shared_heads / s.chunks();
        const std::int64_t row = sequence * s.tokens + chunk * s.chunk;
        const std::int64_t count = least(s.chunk, s.tokens - chunk * s.chunk);
        const std::int64_t first = (row * s.shared_heads + shared) * s.key;
        decode_rows(SpacedRows{q + first, s.shared_heads * s.key}, count, s.key,
                    {scratch.q, s.padded_key()});
        decode_columns(SpacedRows{k + first, s.shared_heads * s.key}, count, s.key,
                       {scratch.k, s.padded_chunk()});
        multiply(count, count, s.key, {scratch.q, s.padded_key()}, {scratch.k, s.padded_chunk()},
                 {scratch.products, s.padded_chunk()}, false);
        for (std::int64_t head = shared * group; head < (shared + 1) * group; ++head) {
          one_head(scratch, row, count, head, (sequence * s.chunks() + chunk) * s.heads + head);
        }
      });
  return 0;
}

// chunk_gated_delta_rule_state: a task is a stripe of columns of one head's state, through all
// chunks.

struct StateScratch {
  float *state, *rounded, *w, *k, *v;

  static StateScratch carve(Carver& carver, const DeltaSizes& s, std::int64_t stripe) {
    StateScratch scratch = {};
    scratch.state = carver.take<float>(s.padded_key() * stripe);
    scratch.rounded = carver.take<float>(s.padded_key() * stripe);
    scratch.w = carver.take<float>(s.chunk * s.padded_key());
    scratch.k = carver.take<float>(s.padded_key() * s.padded_chunk());
    scratch.v = carver.take<float>(s.chunk * stripe);
    return scratch;
  }
};

/// How many columns of a state one task has: all, or fewer if threads would be idle.
inline std::int64_t stripe_columns(const tactus_call* call, const DeltaSizes& s,
                                   std::int64_t largest_stripe) {
  std::int64_t stripe = least(s.padded_value(), largest_stripe);
  while (stripe > kLanes &&
         s.batch * s.heads * ceil_div(s.value, stripe) < std::int64_t{2} * call->threads) {
    stripe = round_up(stripe / 2, kLanes);
  }
  return stripe;
}

inline constexpr std::int64_t kChunkStripe = 128;

inline std::size_t chunk_gated_delta_rule_state_workspace(const tactus_call* call) {
  const DeltaSizes s = delta_sizes(call, "k", "u");
  Carver carver(nullptr);
  StateScratch::carve(carver, s, stripe_columns(call, s, kChunkStripe));
  return carver.used() * static_cast<std::size_t>(call->threads);
}

inline int chunk_gated_delta_rule_state(const tactus_call* call) {
  const DeltaSizes s = delta_sizes(call, "k", "u");
  const auto* k = input<std::uint16_t>(call, "k");
  const auto* w = input<std::uint16_t>(call, "w");
  const auto* u = input<std::uint16_t>(call, "u");
  const auto* g = input<float>(call, "g");
  const auto* indices = input<std::int32_t>(call, "initial_state_indices");
  auto* h = output<std::uint16_t>(call, "h");
  auto* v_new = output<std::uint16_t>(call, "v_new");
  auto* states = output<float>(call, "final_state");
  const std::int64_t stripe = stripe_columns(call, s, kChunkStripe);
  const std::int64_t stripes = ceil_div(s.value, stripe);

  const auto one_chunk = [&](const StateScratch& scratch, std::int64_t sequence, std::int64_t head,
                             std::int64_t chunk, std::int64_t column, std::int64_t columns) {
    const std::int64_t row = sequence * s.tokens + chunk * s.chunk;
    const std::int64_t count = least(s.chunk, s.tokens - chunk * s.chunk);
    const std::int64_t shared = shared_head(head, s.heads, s.shared_heads);
    const float last_g = g[(row + count - 1) * s.heads + head];
    const float decay = exponential(last_g);
    std::uint16_t* h_out =
        h + ((sequence * s.chunks() + chunk) * s.heads + head) * s.key * s.value + column;
    for (std::int64_t d = 0; d < s.key; ++d) {
      for (std::int64_t c = 0; c < columns; c += kLanes) {
        float* at = scratch.state + d * stripe + c;
        const auto state = load<Floats>(at);
        store(scratch.rounded + d * stripe + c, rounded_bf16(state));
        put<Bf16>(h_out + d * s.value + c, state, columns - c);
        store(at, state * decay);
      }
    }
    decode_rows(SpacedRows{w + (row * s.heads + head) * s.key, s.heads * s.key}, count, s.key,
                {scratch.w, s.padded_key()});
    multiply(count, columns, s.key, {scratch.w, s.padded_key()}, {scratch.rounded, stripe},
             {scratch.v, stripe}, false);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = ((row + i) * s.heads + head) * s.value + column;
      const float own_g = g[(row + i) * s.heads + head];
      const float later = last_g <= own_g ? exponential(last_g - own_g) : 0;
      for (std::int64_t c = 0; c < columns; c += kLanes) {
        float* place = scratch.v + i * stripe + c;
        const Floats v = take<Bf16>(u + at + c, columns - c) - load<Floats>(place);
        put<Bf16>(v_new + at + c, v, columns - c);
        store(place, rounded_bf16(v * later));
      }
    }
    decode_columns(SpacedRows{k + (row * s.shared_heads + shared) * s.key, s.shared_heads * s.key},
                   count, s.key, {scratch.k, s.padded_chunk()});
    multiply(s.key, columns, count, {scratch.k, s.padded_chunk()}, {scratch.v, stripe},
             {scratch.state, stripe}, true);
  };
  parallel_workers(call, s.batch * s.heads * stripes, [&](std::int64_t worker, std::int64_t task) {
    Carver carver(call->workspace);
    StateScratch scratch = {};
    for (std::int64_t i = 0; i <= worker; ++i) scratch = StateScratch::carve(carver, s, stripe);
    const std::int64_t column = task % stripes * stripe;
    const std::int64_t columns = least(stripe, s.value - column);
    const std::int64_t head = task / stripes % s.heads;
    const std::int64_t sequence = task / stripes / s.heads;
    float* pool = states + (indices[sequence] * s.heads + head) * s.key * s.value + column;
    decode_rows([&](std::int64_t d, std::int64_t c,
                    std::int64_t left) { return take<Fp32>(pool + d * s.value + c, left); },
                s.key, columns, {scratch.state, stripe});
    for (std::int64_t chunk = 0; chunk < s.chunks(); ++chunk) {
      one_chunk(scratch, sequence, head, chunk, column, columns);
    }
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
