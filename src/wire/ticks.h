#pragma once

#include <cstdint>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ctime>
#endif

namespace tactus::wire {

/// The clock of all records: the fastest one that all cores share.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

}  // namespace tactus::wire
