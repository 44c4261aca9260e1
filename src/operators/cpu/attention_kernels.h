#pragma once

#include "operators/cpu/tiles.h"

namespace tactus::TACTUS_ISA {

// Attention with a running softmax: the queries of a task go through the keys block by block.
// Scores and running sums stay in the caches.

inline constexpr std::int64_t kKeysAtOnce = 64;

struct AttentionScratch {
  float* queries;  ///< [rows][width]
  float* keys;     ///< [width][kKeysAtOnce]: transposed
  float* values;   ///< [kKeysAtOnce][value width]
  float* scores;   ///< [rows][kKeysAtOnce]
  float* sums;     ///< [rows][value width]
  float* tops;     ///< [rows]: largest score so far
  float* totals;   ///< [rows]: sum of exponentials so far

  static AttentionScratch carve(Carver& carver, std::int64_t rows, std::int64_t width,
                                std::int64_t value_width) {
    const std::int64_t padded = round_up(width, kLanes);
    const std::int64_t value_padded = round_up(value_width, kLanes);
    AttentionScratch scratch = {};
    scratch.queries = carver.take<float>(rows * padded);
    scratch.keys = carver.take<float>(padded * kKeysAtOnce);
    scratch.values = carver.take<float>(kKeysAtOnce * value_padded);
    scratch.scores = carver.take<float>(rows * kKeysAtOnce);
    scratch.sums = carver.take<float>(rows * value_padded);
    scratch.tops = carver.take<float>(rows);
    scratch.totals = carver.take<float>(rows);
    return scratch;
  }
};

/// Scores become exponentials; earlier sums shrink if there is a new largest score.
inline void soften(const AttentionScratch& scratch, std::int64_t row, std::int64_t visible,
                   std::int64_t value_padded) {
  float* scores = scratch.scores + row * kKeysAtOnce;
  if (visible <= 0) {
    for (std::int64_t i = 0; i < kKeysAtOnce; i += kLanes) store(scores + i, Floats{});
    return;
  }
  const Ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  Floats own[kKeysAtOnce / kLanes];
  Floats best = all(-__builtin_inff());
  for (int i = 0; i < kKeysAtOnce / kLanes; ++i) {
    const auto limit = static_cast<std::int32_t>(visible - i * kLanes);
    own[i] = choose(lane < limit, load<Floats>(scores + i * kLanes), all(-__builtin_inff()));
    best = larger(best, own[i]);
  }
  const float top = most(largest(best), scratch.tops[row]);
  Floats total = {};
  for (int i = 0; i < kKeysAtOnce / kLanes; ++i) {
    const Floats weight = exponential(own[i] - top);
    total += weight;
    store(scores + i * kLanes, weight);
  }
  float kept = scratch.totals[row];
  if (top > scratch.tops[row]) {
    const float shrink = exponential(all(scratch.tops[row] - top))[0];
    kept *= shrink;
    float* sums = scratch.sums + row * value_padded;
    for (std::int64_t i = 0; i < value_padded; i += kLanes) {
      store(sums + i, load<Floats>(sums + i) * shrink);
    }
    scratch.tops[row] = top;
  }
  scratch.totals[row] = kept + sum(total);
}

/// The input of one task. Rows are queries, of one token or one head each.
struct AttentionTask {
  std::int64_t rows;
  std::int64_t keys;
  std::int64_t width;
  std::int64_t value_width;
  float scale;
};

/// query(row), key(j), value(j) and out(row) return the beginning of a row of numbers; visible(row)
/// returns how many keys it sees.
template <class Number, class Query, class Key, class Value, class Visible, class Out>
inline void attend(const AttentionTask& task, const AttentionScratch& scratch, const Query& query,
                   const Key& key, const Value& value, const Visible& visible, const Out& out) {
  const std::int64_t padded = round_up(task.width, kLanes);
  const std::int64_t value_padded = round_up(task.value_width, kLanes);
  decode_rows([&](std::int64_t row, std::int64_t i,
                  std::int64_t left) { return take<Number>(query(row) + i, left) * task.scale; },
              task.rows, task.width, {scratch.queries, padded});
  for (std::int64_t row = 0; row < task.rows; ++row) {
    scratch.tops[row] = -__builtin_inff();
    scratch.totals[row] = 0;
    for (std::int64_t i = 0; i < value_padded; i += kLanes) {
      store(scratch.sums + row * value_padded + i, Floats{});
    }
  }
  for (std::int64_t first = 0; first < task.keys; first += kKeysAtOnce) {
    const std::int64_t count = least(kKeysAtOnce, task.keys - first);
    decode_columns([&](std::int64_t row, std::int64_t i,
                       std::int64_t left) { return take<Number>(key(first + row) + i, left); },
                   count, task.width, {scratch.keys, kKeysAtOnce});
    decode_rows([&](std::int64_t row, std::int64_t i,
                    std::int64_t left) { return take<Number>(value(first + row) + i, left); },
                count, task.value_width, {scratch.values, value_padded});
    // Rows that see nothing of this block come first, if there are any.
    std::int64_t begin = 0;
    while (begin < task.rows && visible(begin) <= first) ++begin;
    const std::int64_t rows = task.rows - begin;
    multiply(rows, count, task.width, {scratch.queries + begin * padded, padded},
             {scratch.keys, kKeysAtOnce}, {scratch.scores + begin * kKeysAtOnce, kKeysAtOnce},
             false);
    for (std::int64_t row = begin; row < task.rows; ++row) {
      soften(scratch, row, least(count, visible(row) - first), value_padded);
    }
    multiply(rows, task.value_width, count, {scratch.scores + begin * kKeysAtOnce, kKeysAtOnce},
             {scratch.values, value_padded}, {scratch.sums + begin * value_padded, value_padded},
             true);
  }
  for (std::int64_t row = 0; row < task.rows; ++row) {
    const float inverse = 1.0f / scratch.totals[row];
    for (std::int64_t i = 0; i < task.value_width; i += kLanes) {
      put<Number>(out(row) + i, load<Floats>(scratch.sums + row * value_padded + i) * inverse,
                  task.value_width - i);
    }
  }
}

inline AttentionScratch attention_scratch(const tactus_call* call, std::int64_t worker,
                                          std::int64_t rows, std::int64_t width,
                                          std::int64_t value_width) {
  Carver carver(call->workspace);
  AttentionScratch scratch = {};
  for (std::int64_t i = 0; i <= worker; ++i) {
    scratch = AttentionScratch::carve(carver, rows, width, value_width);
  }
  return scratch;
}

inline std::size_t attention_workspace(const tactus_call* call, std::int64_t rows,
                                       std::int64_t width, std::int64_t value_width) {
  Carver carver(nullptr);
  AttentionScratch::carve(carver, rows, width, value_width);
  return carver.used() * static_cast<std::size_t>(call->threads);
}

inline constexpr std::int64_t kQueryRows = 192;  // of a task: they share the decoding of a key

/// Tokens of a task where `group` heads share their keys.
inline std::int64_t tokens_of_task(std::int64_t group) {
  return most<std::int64_t>(kQueryRows / group, 1);
}

inline std::size_t attention_forward_workspace(const tactus_call* call) {
  const std::int64_t width = extent(call, "q", 2);
  return attention_workspace(call, kQueryRows, width, width);
}

inline int attention_forward(const tactus_call* call) {
  return with_half(dtype_of(call, "q"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const auto* q = input<Stored>(call, "q");
    const auto* k = input<Stored>(call, "k");
    const auto* v = input<Stored>(call, "v");
    const auto* q_starts = input<std::int32_t>(call, "cu_seqlens_q");
    const auto* k_starts = input<std::int32_t>(call, "cu_seqlens_k");
    auto* out = output<Stored>(call, "out");
    const std::int64_t sequences = extent(call, "cu_seqlens_q", 0) - 1;
    const std::int64_t heads = extent(call, "q", 1);
    const std::int64_t width = extent(call, "q", 2);
    const std::int64_t blocks = ceil_div(whole(call, "max_length"), kQueryRows);
    parallel_workers(
        call, sequences * heads * blocks, [&](std::int64_t worker, std::int64_t index) {
          const std::int64_t sequence = index / (heads * blocks);
          const std::int64_t head = index / blocks % heads;
          const std::int64_t first = q_starts[sequence] + index % blocks * kQueryRows;
          const std::int64_t first_key = k_starts[sequence];
          const AttentionTask task{least(kQueryRows, q_starts[sequence + 1] - first),
                                   k_starts[sequence + 1] - first_key, width, width,
                                   static_cast<float>(tactus_value(call, "scale", 1))};
          if (task.rows <= 0) return;
          const auto at = [&](std::int64_t token) { return (token * heads + head) * width; };
          attend<Number>(
              task, attention_scratch(call, worker, kQueryRows, width, width),
              [&](std::int64_t row) { return q + at(first + row); },
              [&](std::int64_t j) { return k + at(first_key + j); },
              [&](std::int64_t j) { return v + at(first_key + j); },
              [&](std::int64_t) { return task.keys; },
              [&](std::int64_t row) { return out + at(first + row); });
        });
    return 0;
  });
}

inline std::size_t unified_attention_workspace(const tactus_call* call) {
  const std::int64_t width = extent(call, "q", 2);
  const std::int64_t group = extent(call, "q", 1) / extent(call, "k_cache", 2);
  return attention_workspace(call, tokens_of_task(group) * group, width, width);
}

inline int unified_attention(const tactus_call* call) {
  return with_half(dtype_of(call, "q"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const auto* q = input<Stored>(call, "q");
    const auto* k = input<Stored>(call, "k_cache");
    const auto* v = input<Stored>(call, "v_cache");
    const auto* starts = input<std::int32_t>(call, "cu_seqlens_q");
    const auto* used = input<std::int32_t>(call, "seqused_k");
    const auto* table = input<std::int32_t>(call, "block_table");
    auto* out = output<Stored>(call, "out");
    const std::int64_t table_width = extent(call, "block_table", 1);
    const std::int64_t sequences = extent(call, "seqused_k", 0);
    const std::int64_t heads = extent(call, "q", 1);
    const std::int64_t width = extent(call, "q", 2);
    const std::int64_t block_size = extent(call, "k_cache", 1);
    const std::int64_t kv_heads = extent(call, "k_cache", 2);
    const std::int64_t group = heads / kv_heads;
    const std::int64_t tokens = tokens_of_task(group);
    const std::int64_t blocks = ceil_div(whole(call, "max_length"), tokens);
    parallel_workers(
        call, sequences * kv_heads * blocks, [&](std::int64_t worker, std::int64_t index) {
          const std::int64_t sequence = index % sequences;
          const std::int64_t kv_head = index / sequences % kv_heads;
          // The last tokens see most: they come first, so that no thread ends late because of them.
          const std::int64_t first_token = (blocks - 1 - index / sequences / kv_heads) * tokens;
          const std::int64_t length = starts[sequence + 1] - starts[sequence];
          const std::int64_t count = least(tokens, length - first_token);
          if (count <= 0) return;
          const bool causal = length == used[sequence];
          const std::int64_t keys = causal ? first_token + count : used[sequence];
          const AttentionTask task{count * group, keys, width, width,
                                   static_cast<float>(tactus_value(call, "scale", 1))};
          const auto at = [&](std::int64_t row) {
            const std::int64_t token = starts[sequence] + first_token + row / group;
            return (token * heads + kv_head * group + row % group) * width;
          };
          const std::int32_t* pages = table + sequence * table_width;
          const auto slot = [&](std::int64_t j) {
            const std::int64_t place = pages[j / block_size] * block_size + j % block_size;
            return (place * kv_heads + kv_head) * width;
          };
          attend<Number>(
              task, attention_scratch(call, worker, tokens * group, width, width),
              [&](std::int64_t row) { return q + at(row); },
              [&](std::int64_t j) { return k + slot(j); },
              [&](std::int64_t j) { return v + slot(j); },
              [&](std::int64_t row) { return causal ? first_token + row / group + 1 : keys; },
              [&](std::int64_t row) { return out + at(row); });
        });
    return 0;
  });
}

/// Heads of a task: all of them share the rows, but every thread should get work.
inline std::int64_t mla_heads(const tactus_call* call) {
  const std::int64_t heads = extent(call, "q", 1);
  const std::int64_t fair = ceil_div(extent(call, "q", 0) * heads, std::int64_t{2} * call->threads);
  return least(least<std::int64_t>(round_up(fair, kTileRows), 96), heads);
}

inline std::size_t mla_decode_attention_workspace(const tactus_call* call) {
  return attention_workspace(call, mla_heads(call), extent(call, "q", 2),
                             tactus_output(call, "out")->shape[2]);
}

inline int mla_decode_attention(const tactus_call* call) {
  return with_half(dtype_of(call, "q"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const auto* q = input<Stored>(call, "q");
    const auto* cache = input<Stored>(call, "kv_cache");
    const auto* lengths = input<std::int32_t>(call, "seq_lens");
    auto* out = output<Stored>(call, "out");
    const std::int64_t batch = extent(call, "q", 0);
    const std::int64_t heads = extent(call, "q", 1);
    const std::int64_t width = extent(call, "q", 2);
    const std::int64_t latent = tactus_output(call, "out")->shape[2];
    const std::int64_t context = extent(call, "kv_cache", 0) / batch;
    const std::int64_t together = mla_heads(call);
    const std::int64_t blocks = ceil_div(heads, together);
    parallel_workers(call, batch * blocks, [&](std::int64_t worker, std::int64_t index) {
      const std::int64_t sequence = index / blocks;
      const std::int64_t head = index % blocks * together;
      const AttentionTask task{least(together, heads - head), lengths[sequence], width, latent,
                               static_cast<float>(tactus_value(call, "scale", 1))};
      const auto row_at = [&](std::int64_t j) { return cache + (sequence * context + j) * width; };
      attend<Number>(
          task, attention_scratch(call, worker, together, width, latent),
          [&](std::int64_t row) { return q + (sequence * heads + head + row) * width; }, row_at,
          row_at, [&](std::int64_t) { return task.keys; },
          [&](std::int64_t row) { return out + (sequence * heads + head + row) * latent; });
    });
    return 0;
  });
}

}  // namespace tactus::TACTUS_ISA
