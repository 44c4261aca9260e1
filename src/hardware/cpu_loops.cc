#include "hardware/cpu_loops.h"

#include <array>

#include "hardware/cpu_features.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Each loop multiplies and adds in several independent chains: enough to hide the latency of an
// instruction, and not more than there are registers. The empty asm statements keep the compiler
// from knowing the numbers and from removing the result.

namespace tactus {
namespace {

#if defined(__x86_64__)

/// A number that is multiplied by slightly less than one and added to a small number neither grows
/// without limit nor becomes denormal.
template <class T>
T opaque(T value) {
  asm volatile("" : "+x"(value));
  return value;
}

constexpr int kChains = 12;  // of 16 registers; named one by one, an array would live in memory

#define TACTUS_CPU_LOOP(function, isa, Vector, constraint, start, step)                       \
  __attribute__((target(isa))) void function(std::uint64_t turns) {                           \
    const Vector b = start(0.999F);                                                           \
    const Vector c = start(0.001F);                                                           \
    Vector a0 = c, a1 = c, a2 = c, a3 = c, a4 = c, a5 = c;                                    \
    Vector a6 = c, a7 = c, a8 = c, a9 = c, a10 = c, a11 = c;                                  \
    for (std::uint64_t turn = 0; turn < turns; ++turn) {                                      \
      a0 = step(a0, b, c), a1 = step(a1, b, c), a2 = step(a2, b, c), a3 = step(a3, b, c);     \
      a4 = step(a4, b, c), a5 = step(a5, b, c), a6 = step(a6, b, c), a7 = step(a7, b, c);     \
      a8 = step(a8, b, c), a9 = step(a9, b, c), a10 = step(a10, b, c), a11 = step(a11, b, c); \
      /* They start alike, and must not be found to stay alike. */                            \
      asm volatile("" : "+" constraint(a0), "+" constraint(a1), "+" constraint(a2));          \
      asm volatile("" : "+" constraint(a3), "+" constraint(a4), "+" constraint(a5));          \
      asm volatile("" : "+" constraint(a6), "+" constraint(a7), "+" constraint(a8));          \
      asm volatile("" : "+" constraint(a9), "+" constraint(a10), "+" constraint(a11));        \
    }                                                                                         \
  }                                                                                           \
  static_assert(true, "a semicolon follows")

#define TACTUS_START_SSE_PS(value) _mm_set1_ps(opaque(value))
#define TACTUS_START_SSE_PD(value) _mm_set1_pd(opaque(static_cast<double>(value)))
#define TACTUS_STEP_SSE_PS(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)
#define TACTUS_STEP_SSE_PD(a, b, c) _mm_add_pd(_mm_mul_pd(a, b), c)
TACTUS_CPU_LOOP(sse_fp32, "sse2", __m128, "x", TACTUS_START_SSE_PS, TACTUS_STEP_SSE_PS);
TACTUS_CPU_LOOP(sse_fp64, "sse2", __m128d, "x", TACTUS_START_SSE_PD, TACTUS_STEP_SSE_PD);

#define TACTUS_START_AVX_PS(value) _mm256_set1_ps(opaque(value))
#define TACTUS_START_AVX_PD(value) _mm256_set1_pd(opaque(static_cast<double>(value)))
TACTUS_CPU_LOOP(avx2_fp32, "avx2,fma", __m256, "x", TACTUS_START_AVX_PS, _mm256_fmadd_ps);
TACTUS_CPU_LOOP(avx2_fp64, "avx2,fma", __m256d, "x", TACTUS_START_AVX_PD, _mm256_fmadd_pd);

#define TACTUS_START_512_PS(value) _mm512_set1_ps(opaque(value))
#define TACTUS_START_512_PD(value) _mm512_set1_pd(opaque(static_cast<double>(value)))
TACTUS_CPU_LOOP(avx512_fp32, "avx512f,avx512bw", __m512, "v", TACTUS_START_512_PS, _mm512_fmadd_ps);
TACTUS_CPU_LOOP(avx512_fp64, "avx512f,avx512bw", __m512d, "v", TACTUS_START_512_PD,
                _mm512_fmadd_pd);

short opaque_bits(short bits) {
  asm volatile("" : "+r"(bits));
  return bits;
}

// 0.999 in fp16 is 0x3bff; the types after it take any bits.
#define TACTUS_START_FP16(value) _mm512_set1_epi16(opaque_bits(0x3bff))
#define TACTUS_START_BITS(value) _mm512_set1_epi16(opaque_bits(0x3b01))

/// Some compilers can assemble it but have no type for it.
__attribute__((target("avx512f,avx512bw,avx512fp16"), always_inline)) inline __m512i fp16_step(
    __m512i a, __m512i b, __m512i c) {
  asm("vfmadd213ph %2, %1, %0" : "+v"(a) : "v"(b), "v"(c));
  return a;
}

TACTUS_CPU_LOOP(avx512_fp16, "avx512f,avx512bw,avx512fp16", __m512i, "v", TACTUS_START_FP16,
                fp16_step);

#define TACTUS_STEP_INT8(a, b, c) _mm512_dpbusd_epi32(a, b, c)
TACTUS_CPU_LOOP(avx512_int8, "avx512f,avx512bw,avx512vnni", __m512i, "v", TACTUS_START_BITS,
                TACTUS_STEP_INT8);

#define TACTUS_STEP_BF16(a, b, c)                                                               \
  __builtin_bit_cast(                                                                           \
      __m512i, _mm512_dpbf16_ps(__builtin_bit_cast(__m512, a), __builtin_bit_cast(__m512bh, b), \
                                __builtin_bit_cast(__m512bh, c)))
TACTUS_CPU_LOOP(avx512_bf16, "avx512f,avx512bw,avx512bf16", __m512i, "v", TACTUS_START_BITS,
                TACTUS_STEP_BF16);

/// Four products per turn: two tiles by two tiles of 16 rows of 64 bytes.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::array<std::uint8_t, 14> reserved{};
  std::array<std::uint16_t, 16> row_bytes{64, 64, 64, 64, 64, 64, 64, 64};
  std::array<std::uint8_t, 16> rows{16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileShapes) == 64);

#define TACTUS_TILE_LOOP(function, isa, product)                            \
  __attribute__((target(isa))) void function(std::uint64_t turns) {         \
    const TileShapes shapes;                                                \
    alignas(64) std::array<std::uint16_t, std::size_t{16} * 32> numbers{};  \
    numbers.fill(0x3b01);                                                   \
    /* The compiler does not see that tiles are loaded from all of both. */ \
    asm volatile("" : : "r"(&shapes), "r"(numbers.data()) : "memory");      \
    _tile_loadconfig(&shapes);                                              \
    _tile_zero(0);                                                          \
    _tile_zero(1);                                                          \
    _tile_zero(2);                                                          \
    _tile_zero(3);                                                          \
    _tile_loadd(4, numbers.data(), 64);                                     \
    _tile_loadd(5, numbers.data(), 64);                                     \
    _tile_loadd(6, numbers.data(), 64);                                     \
    _tile_loadd(7, numbers.data(), 64);                                     \
    for (std::uint64_t turn = 0; turn < turns; ++turn) {                    \
      product(0, 4, 6);                                                     \
      product(1, 4, 7);                                                     \
      product(2, 5, 6);                                                     \
      product(3, 5, 7);                                                     \
    }                                                                       \
    _tile_release();                                                        \
  }                                                                         \
  static_assert(true, "a semicolon follows")

TACTUS_TILE_LOOP(amx_bf16, "amx-tile,amx-bf16", _tile_dpbf16ps);
TACTUS_TILE_LOOP(amx_int8, "amx-tile,amx-int8", _tile_dpbssd);

#endif

/// For unknown processors: plain C++, as the compiler translates it.
template <class T>
[[maybe_unused]] void plain(std::uint64_t turns) {
  std::array<T, 32> chain{};
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    for (T& number : chain) number = number * T(0.999) + T(0.001);
    asm volatile("" : : "r"(chain.data()) : "memory");
  }
}

}  // namespace

std::vector<CpuLoop> cpu_loops() {
#if defined(__x86_64__)
  using enum NumberType;
  constexpr Engine kVector = Engine::kVector;
  const CpuFeatures has = cpu_features();
  // One multiplication and one addition in each lane of each chain.
  constexpr auto flops = [](int lanes) { return 2.0 * lanes * kChains; };
  std::vector<CpuLoop> loops = {{kFp32, kVector, "SSE2", flops(4), sse_fp32},
                                {kFp64, kVector, "SSE2", flops(2), sse_fp64}};
  if (has.avx2_fma) {
    loops.push_back({kFp32, kVector, "AVX2", flops(8), avx2_fp32});
    loops.push_back({kFp64, kVector, "AVX2", flops(4), avx2_fp64});
  }
  if (has.avx512) {
    loops.push_back({kFp32, kVector, "AVX-512", flops(16), avx512_fp32});
    loops.push_back({kFp64, kVector, "AVX-512", flops(8), avx512_fp64});
  }
  if (has.avx512_fp16) {
    loops.push_back({kFp16, kVector, "AVX512-FP16", flops(32), avx512_fp16});
  }
  if (has.avx512_bf16) {
    loops.push_back({kBf16, kVector, "AVX512-BF16", flops(32), avx512_bf16});
  }
  if (has.avx512_vnni) {
    loops.push_back({kInt8, kVector, "AVX512-VNNI", flops(64), avx512_int8});
  }
  constexpr double kTileProducts = 4.0 * 16 * 16;
  if (has.amx_bf16) {
    loops.push_back({kBf16, Engine::kTensor, "AMX", 2.0 * 32 * kTileProducts, amx_bf16});
  }
  if (has.amx_int8) {
    loops.push_back({kInt8, Engine::kTensor, "AMX", 2.0 * 64 * kTileProducts, amx_int8});
  }
  return loops;
#else
  return {{NumberType::kFp32, Engine::kVector, "compiled", 2.0 * 32, plain<float>},
          {NumberType::kFp64, Engine::kVector, "compiled", 2.0 * 32, plain<double>}};
#endif
}

}  // namespace tactus
