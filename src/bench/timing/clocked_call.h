#pragma once

#include <cstdint>

namespace tactus {

/// One call, timed. Ticks are those of timing/ticks.h.
struct ClockedCall {
  std::uint64_t begin_ticks = 0;
  std::uint64_t end_ticks = 0;
  /// By the clock of a GPU; 0: the ticks count.
  double device_ns = 0;
  /// From the end of the call until the GPU had nothing more to do; 0 if not measured.
  double tail_ns = 0;
  /// Processor time of threads that are not the device's, before and after the call.
  double others_before_s = 0;
  double others_after_s = 0;
  std::int64_t other_threads = 0;  ///< after the call
  /// Processor time inside the call, of the thread that made it and of all threads.
  double caller_cpu_s = 0;
  double all_cpu_s = 0;
  unsigned sm_mhz = 0;        ///< after the call; 0: unknown
  std::uint64_t reasons = 0;  ///< why the clocks of a GPU were lowered: NVML's bits
};

}  // namespace tactus
