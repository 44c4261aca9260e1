#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cycles/cycles.h"
#include "names/function_type.h"
#include "run/run.h"

namespace tactus {

/// How long a cycle was busy with each type of work, each moment counted once: kernels on two
/// streams at the same time, or launches of two threads, do not add up.
struct CycleBusyTime {
  /// By FunctionType: the time in which some slice of that type and cycle ran. It is not cut at the
  /// cycle's end, because device work mostly still runs then.
  std::array<std::int64_t, kFunctionTypes> ns = {};
  /// The part of the cycle in which no work of its process ran on any device, from any cycle.
  std::int64_t gpu_idle_ns = 0;

  std::int64_t of(FunctionType type) const { return ns[static_cast<std::size_t>(type)]; }
};

/// In the order of Cycles::cycles.
std::vector<CycleBusyTime> union_ns_per_cycle(const Run& run, const Cycles& cycles);

}  // namespace tactus
