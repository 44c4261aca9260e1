#pragma once

#include "operators/cpu/norm_kernels.h"

namespace tactus::TACTUS_ISA {

// The k-th largest number of a row, without sorting: numbers as integers in the same order, and the
// largest threshold that k of them reach, bit by bit.

inline Words ordered(Floats value) {
  // -0 and 0 are equal; 0 + x makes them the same.
  const auto bits = reinterpret_cast<Words>(value + 0.0f);
  const auto sign = reinterpret_cast<Words>(reinterpret_cast<Ints>(bits) >> 31);
  return bits ^ (sign | 0x80000000u);
}

/// How many of a list of ordered numbers reach a threshold; the list is padded with zeros.
inline std::int64_t reaching(const std::uint32_t* list, std::int64_t count,
                             std::uint32_t threshold) {
  Ints total = {};
  for (std::int64_t i = 0; i < count; i += kLanes)
    total -= at_least(load<Words>(list + i), Words{} + threshold);
  std::int64_t sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += total[lane];
  return sum;
}

/// The largest threshold, in its first `bits` bits, that `k` of the list reach.
inline std::uint32_t threshold_of(const std::uint32_t* list, std::int64_t count, std::int64_t k,
                                  int bits) {
  std::uint32_t threshold = 0;
  for (int bit = 31; bit >= 32 - bits; --bit) {
    const std::uint32_t tried = threshold | 1u << bit;
    if (reaching(list, count, tried) >= k) threshold = tried;
  }
  return threshold;
}

/// Adds the numbers of a row that reach a threshold to the list; returns how many.
inline std::int64_t collect(const float* row, std::int64_t count, std::uint32_t threshold,
                            std::uint32_t* list) {
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const Words keys = ordered(take<Fp32>(row + i, count - i));
    const std::int64_t lanes = least(kLanes, count - i);
#if defined(__AVX512F__)
    const auto numbers = __builtin_bit_cast(__m512i, keys);
    __mmask16 chosen =
        _mm512_cmpge_epu32_mask(numbers, _mm512_set1_epi32(static_cast<int>(threshold)));
    if (lanes < kLanes) chosen &= static_cast<__mmask16>((1u << lanes) - 1);
    if (chosen == 0) continue;
    store(list + found, _mm512_maskz_compress_epi32(chosen, numbers));
    found += __builtin_popcount(chosen);
#else
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      list[found] = keys[lane];
      found += keys[lane] >= threshold ? 1 : 0;
    }
#endif
  }
  store(list + found, Words{});
  return found;
}

/// The largest numbers of 16 * kCells strands of a row. k of them are numbers of the row, so the
/// k-th largest of the row cannot be below the k-th largest of these.
inline constexpr std::int64_t kCells = 16;

inline std::uint32_t lower_bound(const float* row, std::int64_t count, std::int64_t k) {
  alignas(64) std::uint32_t list[kCells * kLanes];
  Floats cells[kCells];
  for (Floats& cell : cells) cell = all(-__builtin_inff());
  std::int64_t i = 0;
  for (; i + kCells * kLanes <= count; i += kCells * kLanes) {
    for (std::int64_t j = 0; j < kCells; ++j) {
      if (j % 2 == 0) fetch_behind(row + i + j * kLanes);
      cells[j] = larger(Fp32::load(row + i + j * kLanes), cells[j]);
    }
  }
  for (std::int64_t j = 0; j < kCells; ++j) store(list + j * kLanes, ordered(cells[j]));
  return threshold_of(list, kCells * kLanes, k, 18);
}

/// Room for the numbers of a row that may be among the k largest.
inline std::int64_t filter_list(const tactus_call* call) {
  return round_up(extent(call, "logits", 1) + 2 * kLanes, 64);
}

inline std::size_t topk_filter_workspace(const tactus_call* call) {
  return static_cast<std::size_t>(call->threads * filter_list(call)) * sizeof(std::uint32_t);
}

inline int topk_filter(const tactus_call* call) {
  const auto* logits = input<float>(call, "logits");
  auto* out = output<float>(call, "out");
  const std::int64_t tokens = extent(call, "logits", 0);
  const std::int64_t count = extent(call, "logits", 1);
  const std::int64_t top_k = whole(call, "top_k");
  const bool few = top_k * 4 <= kCells * kLanes && count >= 2 * kCells * kLanes;
  const Writer<Fp32> writer(tokens * count, count);
  parallel_workers(call, tokens, [&](std::int64_t worker, std::int64_t token) {
    auto* list = static_cast<std::uint32_t*>(call->workspace) + worker * filter_list(call);
    const float* row = logits + token * count;
    const std::uint32_t bound = few ? lower_bound(row, count, top_k) : 0;
    const std::int64_t found = collect(row, count, bound, list);
    const std::uint32_t threshold = threshold_of(list, found, top_k, 32);
    for (std::int64_t i = 0; i < count; i += kLanes) {
      const Floats value = take<Fp32>(row + i, count - i);
      const Ints stays = at_least(ordered(value), Words{} + threshold);
      writer.put(out + token * count + i, choose(stays, value, all(-__builtin_inff())), count - i);
    }
    writer.finish();
  });
  return 0;
}

}  // namespace tactus::TACTUS_ISA
