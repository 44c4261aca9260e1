#pragma once

#include "operators/cpu/numbers.h"
#include "operators/cpu/tensors.h"

// The k largest of a row and their softmax, k up to eight, for vectors with masks: one row at a
// time.

#if defined(__AVX512F__)
namespace tactus::TACTUS_ISA {

inline constexpr std::int64_t kMostRowTopK = 8;

/// Sixteen numbers, and the ids they carry.
struct Carried {
  __m512 values;
  __m512i ids;
};

/// One step of a bitonic sort: sorts lanes that are `kApart` apart, the larger first, except in
/// blocks of `kBlock` that have the other direction.
template <int kBlock, int kApart>
TACTUS_INLINE Carried ordered_pairs(Carried x) {
  constexpr auto kOthers = [] {
    struct Lanes {
      int lane[16];
    } lanes = {};
    for (int i = 0; i < 16; ++i) lanes.lane[i] = i ^ kApart;
    return lanes;
  }();
  constexpr auto kWantLarger = [] {
    unsigned mask = 0;
    for (int i = 0; i < 16; ++i) {
      if (((i & kApart) == 0) == ((i & kBlock) == 0)) mask |= 1u << i;
    }
    return static_cast<__mmask16>(mask);
  }();
  const __m512i others = _mm512_loadu_si512(&kOthers);
  const __m512 value = _mm512_permutexvar_ps(others, x.values);
  const __m512i id = _mm512_permutexvar_epi32(others, x.ids);
  const __mmask16 larger = _mm512_mask_cmp_ps_mask(kWantLarger, value, x.values, _CMP_GT_OQ);
  const auto kWantSmaller = static_cast<__mmask16>(~kWantLarger);
  const __mmask16 smaller = _mm512_mask_cmp_ps_mask(kWantSmaller, value, x.values, _CMP_LT_OQ);
  const auto swapped = static_cast<__mmask16>(larger | smaller);
  return {_mm512_mask_mov_ps(x.values, swapped, value), _mm512_mask_mov_epi32(x.ids, swapped, id)};
}

/// Largest first.
TACTUS_INLINE Carried sorted(Carried x) {
  x = ordered_pairs<2, 1>(x);
  x = ordered_pairs<4, 2>(x);
  x = ordered_pairs<4, 1>(x);
  x = ordered_pairs<8, 4>(x);
  x = ordered_pairs<8, 2>(x);
  x = ordered_pairs<8, 1>(x);
  x = ordered_pairs<16, 8>(x);
  x = ordered_pairs<16, 4>(x);
  x = ordered_pairs<16, 2>(x);
  return ordered_pairs<16, 1>(x);
}

/// A vector of a row that has `count` numbers left; -infinity after them.
TACTUS_INLINE __m512 some_of(const float* from, std::int64_t count) {
  const __m512 nothing = _mm512_set1_ps(-__builtin_inff());
  if (count >= kLanes) return _mm512_loadu_ps(from);
  return _mm512_mask_loadu_ps(nothing, static_cast<__mmask16>((1u << count) - 1), from);
}

/// The largest of each lane, sorted. k of them are numbers of the row, so the k-th largest of the
/// row is not below the k-th of these.
TACTUS_INLINE __m512 largest_of_lanes(const float* row, std::int64_t count) {
  __m512 best[4];
  for (__m512& part : best) part = _mm512_set1_ps(-__builtin_inff());
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    fetch_behind(row + i);
    fetch_behind(row + i + kWideLanes);
    for (int j = 0; j < 4; ++j) {
      best[j] = _mm512_max_ps(_mm512_loadu_ps(row + i + j * kLanes), best[j]);
    }
  }
  for (; i < count; i += kLanes) best[0] = _mm512_max_ps(some_of(row + i, count - i), best[0]);
  const __m512 all =
      _mm512_max_ps(_mm512_max_ps(best[0], best[1]), _mm512_max_ps(best[2], best[3]));
  return sorted({all, _mm512_setzero_si512()}).values;
}

/// `list` has room for the ids of a row and a vector.
inline void gate_row(const float* row, std::int64_t experts, std::int64_t top_k, float* weights,
                     std::int32_t* ids, std::int32_t* list) {
  const __m512 tops = largest_of_lanes(row, experts);
  const __m512 top = _mm512_broadcastss_ps(_mm512_castps512_ps128(tops));
  const __m512 bound = _mm512_permutexvar_ps(_mm512_set1_epi32(static_cast<int>(top_k) - 1), tops);
  const Floats log2e = all(kLog2E);
  const Floats top_log = __builtin_bit_cast(Floats, top) * log2e;
  Floats total = {};
  __m512i id = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < experts; i += kLanes) {
    const __m512 x = some_of(row + i, experts - i);
    __mmask16 reach = _mm512_cmp_ps_mask(x, bound, _CMP_GE_OQ);
    if (experts - i < kLanes) reach &= static_cast<__mmask16>((1u << (experts - i)) - 1);
    total += two_to(__builtin_bit_cast(Floats, x) * log2e - top_log);
    _mm512_storeu_si512(list + found, _mm512_maskz_compress_epi32(reach, id));
    found += __builtin_popcount(reach);
    id = _mm512_add_epi32(id, _mm512_set1_epi32(16));
  }
  // The best so far are in the lower half; new ones come into the upper half.
  Carried best = {_mm512_set1_ps(-__builtin_inff()), _mm512_setzero_si512()};
  for (std::int64_t i = 0; i < found;) {
    const std::int64_t kept = i == 0 ? 0 : kMostRowTopK;
    const std::int64_t count = least(kLanes - kept, found - i);
    const auto fresh = static_cast<__mmask16>(((1u << count) - 1) << kept);
    best.ids = _mm512_mask_expandloadu_epi32(best.ids, fresh, list + i);
    if (kept > 0)
      best.values = _mm512_mask_mov_ps(_mm512_set1_ps(-__builtin_inff()), 0x00ff, best.values);
    best.values = _mm512_mask_i32gather_ps(best.values, fresh, best.ids, row, 4);
    best = sorted(best);
    i += count;
  }
  const Floats weight = two_to(__builtin_bit_cast(Floats, best.values) * log2e - top_log);
  const auto wanted = static_cast<__mmask16>((1u << top_k) - 1);
  _mm512_mask_storeu_ps(weights, wanted, __builtin_bit_cast(__m512, weight * (1.0f / sum(total))));
  _mm512_mask_storeu_epi32(ids, wanted, best.ids);
}

}  // namespace tactus::TACTUS_ISA
#endif
