#pragma once

// Also compiled by nvcc, as part of bench/device/judge_kernels.cu: no other header of ours.
#include <cstdint>

#ifdef __CUDACC__
#define TACTUS_HOST_AND_DEVICE __host__ __device__
#else
#define TACTUS_HOST_AND_DEVICE
#endif

namespace tactus {

/// How a key changes a tensor, in numbers: refresh.cc makes it, a CPU or a GPU carries it out. Each
/// number of the result can be computed alone.
struct RefreshPlan {
  std::uint64_t elements = 0;
  std::uint64_t width = 1;  ///< of a number [bytes]; 8 of them at most make a word
  std::uint64_t line = 1;   ///< numbers of the last dimension
  std::uint64_t shift = 0;  ///< places that the whole ring of numbers turns by
  // Each number is any one of its ring, chosen anew: some come twice, and some never.
  std::uint64_t pick_key = 0;
  std::uint64_t picks = 0;  ///< numbers of a ring, the line or all; 0: numbers stay
  // Numbers of a window take the places of others in it.
  std::uint64_t window_key = 0;
  std::uint64_t windows = 0;  ///< 0: they stay
  std::uint64_t uneven = 0;   ///< 1: windows begin with each line, and the last is shorter
  // Signs change.
  std::uint64_t sign_bits = 0;  ///< of a word; 0: no sign changes
  std::uint64_t sign_key = 0;
  std::uint64_t twist = 0;         ///< 0: no stretches change
  std::uint64_t twist_one_in = 0;  ///< these stretches, too; 0: none but one
  std::uint64_t twist_stretch = 0;
  std::uint64_t twist_number = ~std::uint64_t{0};  ///< a single number that changes
  std::uint64_t no_negative_zero = 0;              ///< 1: its code is NaN
  // Ids get other names.
  std::uint64_t ids = 0;  ///< 0: they are no ids
  std::uint64_t rename_by = 0;
};

constexpr std::uint64_t kRefreshWindow = 64;          // numbers
constexpr std::uint64_t kRefreshStretchOfWords = 32;  // of 8 bytes

/// 64 bits that look random (splitmix64).
TACTUS_HOST_AND_DEVICE inline std::uint64_t refresh_hash(std::uint64_t key, std::uint64_t salt) {
  std::uint64_t x = (key ^ (salt * 0x9e3779b97f4a7c15ull)) + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// The numbers that number `i` is one of, if places are chosen one by one.
struct RefreshRing {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

TACTUS_HOST_AND_DEVICE inline RefreshRing refresh_ring(const RefreshPlan& plan, std::uint64_t i) {
  if (plan.uneven == 0) return {i - i % plan.picks, plan.picks};
  const std::uint64_t column = i % plan.line;
  const std::uint64_t window = column - column % kRefreshWindow;
  const std::uint64_t left = plan.line - window;
  return {i - column + window, left < kRefreshWindow ? left : kRefreshWindow};
}

/// A number below `limit`, which has 32 bits at most. `random` serves two neighbours.
TACTUS_HOST_AND_DEVICE inline std::uint64_t refresh_pick(std::uint64_t random, std::uint64_t i,
                                                         std::uint64_t limit) {
  return ((i % 2 == 0 ? random & 0xffffffff : random >> 32) * limit) >> 32;
}

/// Where number `i` of the result comes from.
TACTUS_HOST_AND_DEVICE inline std::uint64_t refresh_source(const RefreshPlan& plan,
                                                           std::uint64_t i) {
  if (plan.uneven != 0 || plan.picks != 0) {
    const std::uint64_t key = plan.uneven != 0 ? plan.window_key : plan.pick_key;
    const RefreshRing ring = refresh_ring(plan, i);
    i = ring.begin + refresh_pick(refresh_hash(key, i / 2), i, ring.size);
  } else if (plan.windows != 0) {
    const std::uint64_t place = i % kRefreshWindow;
    const std::uint64_t random = refresh_hash(plan.window_key, i / kRefreshWindow);
    const bool left = place < kRefreshWindow / 2;  // both halves are cut from the whole window
    const std::uint64_t begin = left ? random : random >> 32;
    const std::uint64_t in_half = left ? place : place - kRefreshWindow / 2;
    i = i - place + (begin + in_half) % kRefreshWindow;
  }
  return plan.shift == 0 ? i : (i + plan.elements - plan.shift) % plan.elements;
}

/// The sign bits of word `word` that change.
TACTUS_HOST_AND_DEVICE inline std::uint64_t refresh_flips(const RefreshPlan& plan,
                                                          std::uint64_t word) {
  const std::uint64_t stretch = word / kRefreshStretchOfWords;
  std::uint64_t seed = refresh_hash(plan.sign_key, stretch);
  if (plan.twist != 0) {
    const std::uint64_t twist = refresh_hash(plan.twist, stretch + 3);
    const bool changed =
        stretch == plan.twist_stretch || (plan.twist_one_in != 0 && twist % plan.twist_one_in == 0);
    if (changed) seed ^= twist | 1;
  }
  const std::uint64_t step = seed + word % kRefreshStretchOfWords * 2;
  std::uint64_t flips = (step * 0x9e3779b97f4a7c15ull) ^ (seed >> 7);
  flips = (flips ^ (flips >> 29)) * 0xbf58476d1ce4e5b9ull;
  return (flips ^ (flips >> 31)) & plan.sign_bits;
}

template <class Number>
TACTUS_HOST_AND_DEVICE inline std::uint64_t refresh_gathered(const RefreshPlan& plan,
                                                             const void* from, std::uint64_t word) {
  constexpr std::uint64_t kNumbers = 8 / sizeof(Number);
  const std::uint64_t first = word * kNumbers;
  std::uint64_t gathered = 0;
#ifdef __CUDACC__
#pragma unroll 1
#endif
  for (std::uint64_t k = 0; k < kNumbers && first + k < plan.elements; ++k) {
    const Number number = static_cast<const Number*>(from)[refresh_source(plan, first + k)];
    gathered |= static_cast<std::uint64_t>(number) << (8 * sizeof(Number) * k);
  }
  return gathered;
}

/// Word `word` of the result; behind the last number it is 0. `from` is the tensor as drawn.
TACTUS_HOST_AND_DEVICE inline std::uint64_t refreshed_word(const RefreshPlan& plan,
                                                           const void* from, std::uint64_t word) {
  std::uint64_t numbers = plan.width == 1   ? refresh_gathered<std::uint8_t>(plan, from, word)
                          : plan.width == 2 ? refresh_gathered<std::uint16_t>(plan, from, word)
                          : plan.width == 4 ? refresh_gathered<std::uint32_t>(plan, from, word)
                                            : refresh_gathered<std::uint64_t>(plan, from, word);
  if (plan.sign_bits != 0) {
    std::uint64_t flips = refresh_flips(plan, word);
    if (plan.no_negative_zero != 0) {
      flips &= (numbers & 0x7f7f7f7f7f7f7f7full) + 0x7f7f7f7f7f7f7f7full;
    }
    numbers ^= flips;
    const std::uint64_t place = plan.twist_number * plan.width;
    if (plan.twist_number < plan.elements && place / 8 == word) {
      const std::uint64_t shift = 8 * (place % 8);
      const bool zero = (numbers >> shift & 0xff) == 0;
      const std::uint64_t sign = std::uint64_t{0x80} << (shift + 8 * (plan.width - 1));
      if (plan.no_negative_zero == 0 || !zero) numbers ^= sign;
    }
  }
  if (plan.ids != 0 && plan.width == 8) {
    numbers = (numbers + plan.rename_by) % plan.ids;
  } else if (plan.ids != 0) {  // 32 bits each
    const std::uint64_t low = ((numbers & 0xffffffff) + plan.rename_by) % plan.ids;
    const std::uint64_t high = ((numbers >> 32) + plan.rename_by) % plan.ids;
    numbers = low | high << 32;
  }
  return numbers;
}

}  // namespace tactus
