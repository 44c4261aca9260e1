#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compare/patterns/function_type.h"
#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// How long a cycle was busy with what, each moment counted once: kernels on two streams at the
/// same time, or launches of two threads, do not add up.
struct CycleBusyTime {
  /// By FunctionType: the time in which some slice of that type ran that belongs to the cycle. It
  /// is not cut off at the cycle's end, where device work mostly still runs.
  std::array<std::int64_t, kFunctionTypes> ns = {};
  /// The part of the cycle in which none of its process's work ran on any device, whichever cycle
  /// had launched it.
  std::int64_t gpu_idle_ns = 0;

  std::int64_t of(FunctionType type) const { return ns[static_cast<std::size_t>(type)]; }
};

/// In the order of Cycles::cycles.
std::vector<CycleBusyTime> union_ns_per_cycle(const Run& run, const Cycles& cycles);

}  // namespace tactus
