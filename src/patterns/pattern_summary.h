#pragma once

#include <cstdint>
#include <vector>

#include "counters/counter_levels.h"
#include "cycles/cycles.h"
#include "names/function_type.h"
#include "run/run.h"

namespace tactus {

/// The average time that a cycle spends on one class of functions.
struct ClassTime {
  FunctionType type = FunctionType::kNone;
  double plain_ns = 0;  ///< the sum of all slices, as beta counts them
  double union_ns = 0;  ///< each moment counts once, for any number of streams or threads
};

/// A summary of the data behind patterns.
struct PatternSummary {
  std::int64_t cycles = 0;  ///< cycles in the averages: the whole ones, or all if none is whole
  double cycle_ns = 0;
  double gpu_idle_ns = 0;          ///< per cycle, with no work of its process on any device
  std::vector<ClassTime> classes;  ///< the longest first; those that occur
  std::vector<CounterCoverage> counters;
};

PatternSummary summarise_patterns(const Run& run, const Cycles& cycles);

}  // namespace tactus
