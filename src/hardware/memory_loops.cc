#include "hardware/memory_loops.h"

#include <array>
#include <bit>
#include <cstring>
#include <numeric>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tactus {
namespace {

void read(std::span<std::uint64_t> numbers) {
  std::array<std::uint64_t, 16> sums{};
  const std::uint64_t* at = numbers.data();
  const std::uint64_t* const end = at + numbers.size() / sums.size() * sums.size();
  for (; at != end; at += sums.size()) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += at[i];
  }
  const std::uint64_t sum = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  asm volatile("" : : "r"(sum));  // is wanted
}

#if defined(__x86_64__)

void write(std::span<std::uint64_t> numbers) {
  const __m128i value = _mm_set1_epi64x(std::bit_cast<long long>(1.0));
  for (std::size_t i = 0; i + 8 <= numbers.size(); i += 8) {
    for (std::size_t j = 0; j < 8; j += 2) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(&numbers[i + j]), value);
    }
  }
  _mm_sfence();
}

void copy(std::span<std::uint64_t> numbers) {
  const std::size_t half = numbers.size() / 2;
  for (std::size_t i = 0; i + 8 <= half; i += 8) {
    for (std::size_t j = 0; j < 8; j += 2) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(&numbers[half + i + j]),
                       _mm_load_si128(reinterpret_cast<const __m128i*>(&numbers[i + j])));
    }
  }
  _mm_sfence();
}

void triad(std::span<std::uint64_t> numbers) {
  const std::size_t third = numbers.size() / 3;
  const auto at = [&](std::size_t i) { return reinterpret_cast<double*>(&numbers[i]); };
  const __m128d factor = _mm_set1_pd(3);
  for (std::size_t i = 0; i + 8 <= third; i += 8) {
    for (std::size_t j = i; j < i + 8; j += 2) {
      const __m128d product = _mm_mul_pd(factor, _mm_load_pd(at(third + j)));
      _mm_stream_pd(at(2 * third + j), _mm_add_pd(_mm_load_pd(at(j)), product));
    }
  }
  _mm_sfence();
}

#else

void write(std::span<std::uint64_t> numbers) {
  std::memset(numbers.data(), 1, numbers.size_bytes());
}

void copy(std::span<std::uint64_t> numbers) {
  std::memcpy(&numbers[numbers.size() / 2], numbers.data(), numbers.size_bytes() / 2);
}

void triad(std::span<std::uint64_t> numbers) {
  const std::size_t third = numbers.size() / 3;
  for (std::size_t i = 0; i < third; ++i) {
    numbers[2 * third + i] = numbers[i] + 3 * numbers[third + i];
  }
}

#endif

constexpr std::size_t kCopy = 2;
constexpr std::array<MemoryLoop, 4> kLoops = {
    {{"read", read}, {"write", write}, {"copy", copy}, {"triad", triad}}};

}  // namespace

std::span<const MemoryLoop> memory_loops() {
  return kLoops;
}

const MemoryLoop& copy_loop() {
  return kLoops[kCopy];
}

}  // namespace tactus
