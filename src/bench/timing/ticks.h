#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace tactus {

/// A clock that all processes of the machine share. It is an instruction and not a function, so a
/// candidate cannot put another one in its place. ticks_per_ns() converts.
inline std::uint64_t read_ticks() {
#if defined(__x86_64__)
  _mm_lfence();  // not before earlier work is done
  const std::uint64_t ticks = __rdtsc();
  _mm_lfence();  // later work does not start before
  return ticks;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Measured on the first call, in a few milliseconds.
double ticks_per_ns();

}  // namespace tactus
