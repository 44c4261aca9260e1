#include "hardware/cpu_features.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace tactus {
namespace {

bool bit(unsigned word, unsigned index) {
  return (word >> index & 1U) != 0;
}

/// Which registers the operating system saves (XCR0).
std::uint64_t saved_registers() {
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32U | low;
}

bool may_use_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

CpuFeatures cpu_features() {
  CpuFeatures features;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || !bit(c, 27)) return features;  // OSXSAVE
  const bool fma = bit(c, 12);
  const std::uint64_t saved = saved_registers();
  const bool wide = (saved & 0x6U) == 0x6U;
  const bool wider = (saved & 0xe6U) == 0xe6U;
  const bool tiles = (saved & 0x60000U) == 0x60000U;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return features;
  features.clflushopt = bit(b, 23);
  features.avx2_fma = wide && fma && bit(b, 5);
  features.avx512 = wider && fma && bit(b, 16) && bit(b, 30);
  features.avx512_vnni = features.avx512 && bit(c, 11);
  features.avx512_fp16 = features.avx512 && bit(d, 23);
  const bool amx = tiles && bit(d, 24) && may_use_tiles();
  features.amx_bf16 = amx && bit(d, 22);
  features.amx_int8 = amx && bit(d, 25);
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) {
    features.avx512_bf16 = features.avx512 && bit(a, 5);
  }
  return features;
}

}  // namespace tactus

#else

namespace tactus {

CpuFeatures cpu_features() {
  return {};
}

}  // namespace tactus

#endif
