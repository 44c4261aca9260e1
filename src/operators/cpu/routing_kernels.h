#pragma once

#include "operators/cpu/norm_kernels.h"
#include "operators/cpu/topk_rows.h"
#include "operators/cpu/transpose.h"

namespace tactus::TACTUS_ISA {

// Sorts the slots (token * top_k + k) by expert: stretches are counted first, then each stretch
// puts its slots at the places that the counts of the others leave.

inline constexpr std::int64_t kSlotsAtOnce = 8192;

/// How many slots of each expert come before each stretch.
struct SlotCounts {
  std::int32_t* counts;  ///< [stretches][experts]
  std::int64_t stretches;
  std::int64_t experts;
};

inline std::size_t slot_counts_workspace(const tactus_call* call) {
  const std::int64_t slots = extent(call, "topk_ids", 0) * extent(call, "topk_ids", 1);
  return static_cast<std::size_t>((ceil_div(slots, kSlotsAtOnce) + 1) * whole(call, "experts")) *
         sizeof(std::int32_t);
}

/// Counts each stretch separately, then turns counts into the number before each; totals at the
/// end.
inline SlotCounts count_slots(const tactus_call* call, const std::int32_t* ids,
                              std::int64_t slots) {
  const SlotCounts result{static_cast<std::int32_t*>(call->workspace),
                          ceil_div(slots, kSlotsAtOnce), whole(call, "experts")};
  parallel(call, result.stretches, [&](std::int64_t stretch) {
    std::int32_t* counts = result.counts + stretch * result.experts;
    std::memset(counts, 0, static_cast<std::size_t>(result.experts) * sizeof(std::int32_t));
    const std::int64_t end = least((stretch + 1) * kSlotsAtOnce, slots);
    for (std::int64_t i = stretch * kSlotsAtOnce; i < end; ++i) ++counts[ids[i]];
  });
  std::int32_t* totals = result.counts + result.stretches * result.experts;
  for (std::int64_t expert = 0; expert < result.experts; ++expert) {
    std::int32_t before = 0;
    for (std::int64_t stretch = 0; stretch < result.stretches; ++stretch) {
      std::int32_t& count = result.counts[stretch * result.experts + expert];
      const std::int32_t own = count;
      count = before;
      before += own;
    }
    totals[expert] = before;
  }
  return result;
}

/// Adds where each expert begins; then all slots go to their places.
inline void place_slots(const tactus_call* call, const SlotCounts& counts, const std::int32_t* ids,
                        std::int64_t slots, std::int32_t* sorted) {
  parallel(call, counts.stretches, [&](std::int64_t stretch) {
    std::int32_t* places = counts.counts + stretch * counts.experts;
    const std::int64_t end = least((stretch + 1) * kSlotsAtOnce, slots);
    for (std::int64_t i = stretch * kSlotsAtOnce; i < end; ++i) {
      sorted[places[ids[i]]++] = static_cast<std::int32_t>(i);
    }
  });
}

inline void begin_at(const SlotCounts& counts, std::int64_t expert, std::int32_t first) {
  for (std::int64_t stretch = 0; stretch < counts.stretches; ++stretch) {
    counts.counts[stretch * counts.experts + expert] += first;
  }
}

inline int moe_count_and_sort(const tactus_call* call) {
  const auto* ids = input<std::int32_t>(call, "topk_ids");
  const std::int64_t slots = extent(call, "topk_ids", 0) * extent(call, "topk_ids", 1);
  auto* numbers = output<std::int32_t>(call, "expert_token_counts");
  auto* sums = output<std::int32_t>(call, "cumsum");
  const SlotCounts counts = count_slots(call, ids, slots);
  const std::int32_t* totals = counts.counts + counts.stretches * counts.experts;
  sums[0] = 0;
  for (std::int64_t expert = 0; expert < counts.experts; ++expert) {
    begin_at(counts, expert, sums[expert]);
    numbers[expert] = totals[expert];
    sums[expert + 1] = sums[expert] + totals[expert];
  }
  place_slots(call, counts, ids, slots, output<std::int32_t>(call, "sorted_token_ids"));
  return 0;
}

inline int moe_align_block_size(const tactus_call* call) {
  const auto* ids = input<std::int32_t>(call, "topk_ids");
  const std::int64_t slots = extent(call, "topk_ids", 0) * extent(call, "topk_ids", 1);
  const auto block = static_cast<std::int32_t>(whole(call, "block_size"));
  auto* sorted = output<std::int32_t>(call, "sorted_token_ids");
  auto* expert_ids = output<std::int32_t>(call, "expert_ids");
  const SlotCounts counts = count_slots(call, ids, slots);
  const std::int32_t* totals = counts.counts + counts.stretches * counts.experts;
  std::int32_t at = 0;
  for (std::int64_t expert = 0; expert < counts.experts; ++expert) {
    begin_at(counts, expert, at);
    const std::int32_t end = at + (totals[expert] + block - 1) / block * block;
    for (std::int32_t i = at + totals[expert]; i < end; ++i) {
      sorted[i] = static_cast<std::int32_t>(slots);
    }
    for (; at < end; at += block) expert_ids[at / block] = static_cast<std::int32_t>(expert);
  }
  output<std::int32_t>(call, "num_tokens_post_pad")[0] = at;
  place_slots(call, counts, ids, slots, sorted);
  return 0;
}

// Gating: sixteen rows at once, one per lane, so nothing goes across a vector.

inline constexpr std::int64_t kUsualTopK = 8;

/// Puts a number and its id into sorted lists, one per lane; equal numbers stay in order.
template <int kCount>
inline void insert(Floats* values, Ints* ids, std::int64_t count, Floats value, Ints id) {
  const std::int64_t length = kCount > 0 ? kCount : count;
  for (std::int64_t i = 0; i < length; ++i) {
    const Floats old_value = values[i];
    const Ints old_id = ids[i];
#if defined(__AVX512F__)
    const __mmask16 better = _mm512_cmp_ps_mask(__builtin_bit_cast(__m512, value),
                                                __builtin_bit_cast(__m512, old_value), _CMP_GT_OQ);
    const auto pick = [better](Ints no, Ints yes) {
      return __builtin_bit_cast(Ints, _mm512_mask_mov_epi32(__builtin_bit_cast(__m512i, no), better,
                                                            __builtin_bit_cast(__m512i, yes)));
    };
    values[i] = larger(value, old_value);
    value = smaller(value, old_value);
#else
    const Ints better = less(old_value, value);
    const auto pick = [better](Ints no, Ints yes) { return (yes & better) | (no & ~better); };
    values[i] = choose(better, value, old_value);
    value = choose(better, old_value, value);
#endif
    ids[i] = pick(old_id, id);
    id = pick(id, old_id);
  }
}

template <int kCount>
inline void gate_rows(const float* gating, std::int64_t rows, std::int64_t experts,
                      std::int64_t top_k, float* weights, std::int32_t* ids_out, Floats* values,
                      Ints* ids) {
  for (std::int64_t k = 0; k < top_k; ++k) {
    values[k] = all(-__builtin_inff());
    ids[k] = Ints{};
  }
  Floats local_values[kUsualTopK];
  Ints local_ids[kUsualTopK];
  if constexpr (kCount > 0) {
    for (int k = 0; k < kCount; ++k) {
      local_values[k] = values[k];
      local_ids[k] = ids[k];
    }
  }
  // Rows are summed with a running largest number: the earlier sum of e^(x - largest) shrinks when
  // it grows.
  Floats top = all(-__builtin_inff());
  Floats total = {};
  for (std::int64_t first = 0; first < experts; first += kLanes) {
    const std::int64_t count = least(kLanes, experts - first);
    Floats tile[kLanes];
    for (std::int64_t row = 0; row < kLanes; ++row) {
      const std::int64_t source = least(row, rows - 1);
      tile[row] = take<Fp32>(gating + source * experts + first, count);
    }
    transpose(tile);
    Floats tile_top = top;
    for (std::int64_t i = 0; i < count; ++i) tile_top = larger(tile_top, tile[i]);
    total *= exponential(top - tile_top);
    top = tile_top;
    for (std::int64_t i = 0; i < count; ++i) {
      total += exponential(tile[i] - top);
      const Ints id = Ints{} + static_cast<std::int32_t>(first + i);
      if constexpr (kCount > 0) {
        insert<kCount>(local_values, local_ids, kCount, tile[i], id);
      } else {
        insert<0>(values, ids, top_k, tile[i], id);
      }
    }
  }
  const Floats* best = kCount > 0 ? local_values : values;
  const Ints* best_ids = kCount > 0 ? local_ids : ids;
  for (std::int64_t k = 0; k < top_k; ++k) {
    const Floats weight = exponential(best[k] - top) / total;
    for (std::int64_t row = 0; row < rows; ++row) {
      weights[row * top_k + k] = weight[row];
      ids_out[row * top_k + k] = best_ids[k][row];
    }
  }
}

/// The ids of a row, plus one vector.
inline std::size_t row_list_bytes(const tactus_call* call) {
  const std::int64_t ids = round_up(extent(call, "gating", 1), kLanes) + kLanes;
  return static_cast<std::size_t>(ids) * sizeof(std::int32_t);
}

inline std::size_t gating_workspace(const tactus_call* call) {
  const auto lists = static_cast<std::size_t>(whole(call, "top_k") * 2) * sizeof(Floats);
  return static_cast<std::size_t>(call->threads) * (lists + row_list_bytes(call));
}

inline int moe_topk_gating_softmax(const tactus_call* call) {
  const auto* gating = input<float>(call, "gating");
  auto* weights = output<float>(call, "topk_weights");
  auto* ids = output<std::int32_t>(call, "topk_ids");
  const std::int64_t tokens = extent(call, "gating", 0);
  const std::int64_t experts = extent(call, "gating", 1);
  const std::int64_t top_k = whole(call, "top_k");
#if defined(__AVX512F__)
  if (top_k <= kMostRowTopK) {
    const std::int64_t stretch = rows_at_once(experts * 4);
    const auto gate_some = [&](std::int64_t worker, std::int64_t task) {
      auto* list = static_cast<std::byte*>(call->workspace) +
                   static_cast<std::size_t>(worker) * row_list_bytes(call);
      for (std::int64_t t = task * stretch; t < least((task + 1) * stretch, tokens); ++t) {
        gate_row(gating + t * experts, experts, top_k, weights + t * top_k, ids + t * top_k,
                 reinterpret_cast<std::int32_t*>(list));
      }
    };
    parallel_workers(call, ceil_div(tokens, stretch), gate_some);
    return 0;
  }
#endif
  parallel_workers(call, ceil_div(tokens, kLanes), [&](std::int64_t worker, std::int64_t task) {
    const std::int64_t first = task * kLanes;
    const std::int64_t rows = least(kLanes, tokens - first);
    auto* values = static_cast<Floats*>(call->workspace) + worker * 2 * top_k;
    auto* scratch_ids = reinterpret_cast<Ints*>(values + top_k);
    const auto gate = top_k == kUsualTopK ? gate_rows<kUsualTopK> : gate_rows<0>;
    gate(gating + first * experts, rows, experts, top_k, weights + first * top_k,
         ids + first * top_k, values, scratch_ids);
  });
  return 0;
}

}  // namespace tactus::TACTUS_ISA
