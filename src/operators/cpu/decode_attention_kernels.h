#pragma once

#include "operators/cpu/numbers.h"
#include "operators/cpu/tensors.h"

namespace tactus::TACTUS_ISA {

// paged_attention_decode: one query per head, so reading the cache takes all the time. It is read
// in its own layout: keys as [d / 8][token][8], values as [d][token], one page at a time.

inline constexpr std::int64_t kPack = 8;  // numbers of a key that are stored together

struct DecodeSizes {
  std::int64_t sequences, heads, kv_heads, group, width, block_size, pages;

  std::int64_t packs() const { return ceil_div(width, kPack); }
  std::int64_t page_lanes() const { return round_up(block_size, kLanes); }
};

inline DecodeSizes decode_sizes(const tactus_call* call) {
  const tactus_tensor* values = tactus_input(call, "v_cache");
  const std::int64_t heads = extent(call, "query", 1);
  const std::int64_t kv_heads = values->shape[1];
  return {extent(call, "query", 0),
          heads,
          kv_heads,
          heads / kv_heads,
          values->shape[2],
          values->shape[3],
          extent(call, "block_tables", 1)};
}

struct DecodeScratch {
  float* queries;  ///< [group][packs][2][8]: each pack twice, for two tokens
  float* scores;   ///< [group][pages][page lanes]
  Floats* sums;    ///< [group][width], one lane per place in a page

  static DecodeScratch carve(Carver& carver, const DecodeSizes& sizes) {
    DecodeScratch scratch = {};
    scratch.queries = carver.take<float>(sizes.group * sizes.packs() * 2 * kPack);
    scratch.scores = carver.take<float>(sizes.group * sizes.pages * sizes.page_lanes());
    scratch.sums = carver.take<Floats>(sizes.group * sizes.width);
    return scratch;
  }
};

inline std::size_t paged_attention_decode_workspace(const tactus_call* call) {
  Carver carver(nullptr);
  DecodeScratch::carve(carver, decode_sizes(call));
  return carver.used() * static_cast<std::size_t>(call->threads);
}

/// Queries times scale, each pack twice; zeros beyond the width.
template <class Number>
inline void lay_out_queries(const typename Number::Stored* query, const DecodeSizes& sizes,
                            float scale, float* to) {
  for (std::int64_t pack = 0; pack < sizes.group * sizes.packs(); ++pack) {
    const std::int64_t head = pack / sizes.packs();
    const std::int64_t first = pack % sizes.packs() * kPack;
    const Floats numbers =
        Number::load_part(query + head * sizes.width + first, least(kPack, sizes.width - first)) *
        scale;
    std::memcpy(to + pack * 2 * kPack, &numbers, kPack * sizeof(float));
    std::memcpy(to + pack * 2 * kPack + kPack, &numbers, kPack * sizeof(float));
  }
}

/// Scores of one head with the tokens of one page. `keys` begins at the page's head.
template <class Number>
inline void score_page(const typename Number::Stored* keys, const DecodeSizes& sizes,
                       const float* query, float* scores) {
  const std::int64_t line = sizes.block_size * kPack;
  for (std::int64_t token = 0; token < sizes.block_size; token += 8) {
    const auto count = least<std::int64_t>(8, sizes.block_size - token);
    const std::int64_t pairs = ceil_div(count, 2);
    Floats sums[4] = {};
    for (std::int64_t pack = 0; pack < sizes.packs(); ++pack) {
      const auto q = load<Floats>(query + pack * 2 * kPack);
      const auto* from = keys + pack * line + token * kPack;
      if (count == 8) {
        for (int pair = 0; pair < 4; ++pair) sums[pair] += q * Number::load(from + pair * kLanes);
      } else {
        for (std::int64_t pair = 0; pair < pairs; ++pair) {
          sums[pair] += q * take<Number>(from + pair * kLanes, (count - pair * 2) * kPack);
        }
      }
    }
    for (std::int64_t t = 0; t < count; ++t) {
      float total = 0;
      for (std::int64_t i = 0; i < kPack; ++i) total += sums[t / 2][t % 2 * kPack + i];
      scores[token + t] = total;
    }
  }
}

/// Scores of `length` tokens become weights that add up to 1; all other places get 0.
inline void soften_pages(const DecodeSizes& sizes, std::int64_t length, float* scores) {
  const std::int64_t lanes = sizes.page_lanes();
  const auto on_page = [&](std::int64_t page) {
    return least(sizes.block_size, length - page * sizes.block_size);
  };
  float top = -__builtin_inff();
  for (std::int64_t page = 0; page < sizes.pages; ++page) {
    for (std::int64_t t = 0; t < on_page(page); ++t) top = most(top, scores[page * lanes + t]);
  }
  float total = 0;
  const Ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (std::int64_t page = 0; page < sizes.pages; ++page) {
    for (std::int64_t t = 0; t < lanes; t += kLanes) {
      float* at = scores + page * lanes + t;
      const Ints is_token = lane < static_cast<std::int32_t>(on_page(page) - t);
      const Floats weight = choose(is_token, exponential(load<Floats>(at) - top), Floats{});
      total += sum(weight);
      store(at, weight);
    }
  }
  const float inverse = 1.0f / total;
  for (std::int64_t i = 0; i < sizes.pages * lanes; i += kLanes) {
    store(scores + i, load<Floats>(scores + i) * inverse);
  }
}

/// Adds the values of one page, times their weights, to the sums of all heads of a group.
template <class Number>
inline void add_page(const typename Number::Stored* values, const DecodeSizes& sizes,
                     const float* weights, std::int64_t weight_stride, Floats* sums) {
  for (std::int64_t t = 0; t < sizes.block_size; t += kLanes) {
    const std::int64_t left = sizes.block_size - t;
    for (std::int64_t d = 0; d < sizes.width; ++d) {
      const Floats value = take<Number>(values + d * sizes.block_size + t, left);
      for (std::int64_t head = 0; head < sizes.group; ++head) {
        sums[head * sizes.width + d] += value * load<Floats>(weights + head * weight_stride + t);
      }
    }
  }
}

inline int paged_attention_decode(const tactus_call* call) {
  return with_half(dtype_of(call, "query"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const DecodeSizes sizes = decode_sizes(call);
    const auto* query = input<Stored>(call, "query");
    const auto* k_cache = input<Stored>(call, "k_cache");
    const auto* v_cache = input<Stored>(call, "v_cache");
    const auto* tables = input<std::int32_t>(call, "block_tables");
    const auto* lengths = input<std::int32_t>(call, "seq_lens");
    auto* out = output<Stored>(call, "out");
    const auto scale = static_cast<float>(tactus_value(call, "scale", 1));
    const std::int64_t lanes = sizes.page_lanes();
    parallel_workers(
        call, sizes.sequences * sizes.kv_heads, [&](std::int64_t worker, std::int64_t task) {
          Carver carver(call->workspace);
          DecodeScratch scratch = {};
          for (std::int64_t i = 0; i <= worker; ++i) scratch = DecodeScratch::carve(carver, sizes);
          const std::int64_t sequence = task / sizes.kv_heads;
          const std::int64_t kv_head = task % sizes.kv_heads;
          const std::int64_t head = sequence * sizes.heads + kv_head * sizes.group;
          const std::int64_t length = lengths[sequence];
          const std::int64_t pages = ceil_div(length, sizes.block_size);
          const std::int32_t* table = tables + sequence * sizes.pages;
          lay_out_queries<Number>(query + head * sizes.width, sizes, scale, scratch.queries);
          for (std::int64_t page = 0; page < pages; ++page) {
            const Stored* keys = k_cache + (table[page] * sizes.kv_heads + kv_head) *
                                               sizes.packs() * sizes.block_size * kPack;
            for (std::int64_t i = 0; i < sizes.group; ++i) {
              score_page<Number>(keys, sizes, scratch.queries + i * sizes.packs() * 2 * kPack,
                                 scratch.scores + (i * sizes.pages + page) * lanes);
            }
          }
          for (std::int64_t i = 0; i < sizes.group; ++i) {
            soften_pages(sizes, length, scratch.scores + i * sizes.pages * lanes);
          }
          std::memset(scratch.sums, 0,
                      static_cast<std::size_t>(sizes.group * sizes.width) * sizeof(Floats));
          for (std::int64_t page = 0; page < pages; ++page) {
            const Stored* values =
                v_cache + (table[page] * sizes.kv_heads + kv_head) * sizes.width * sizes.block_size;
            add_page<Number>(values, sizes, scratch.scores + page * lanes, sizes.pages * lanes,
                             scratch.sums);
          }
          for (std::int64_t i = 0; i < sizes.group * sizes.width; i += kLanes) {
            const std::int64_t count = least(kLanes, sizes.group * sizes.width - i);
            Floats numbers = {};
            for (std::int64_t lane = 0; lane < count; ++lane) {
              numbers[lane] = sum(scratch.sums[i + lane]);
            }
            put<Number>(out + head * sizes.width + i, numbers, count);
          }
        });
    return 0;
  });
}

}  // namespace tactus::TACTUS_ISA
