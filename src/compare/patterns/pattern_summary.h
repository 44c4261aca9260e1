#pragma once

#include <cstdint>
#include <vector>

#include "compare/counters/counter_levels.h"
#include "compare/patterns/function_type.h"
#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// What a cycle spends on one class of functions, on average.
struct ClassTime {
  FunctionType type = FunctionType::kNone;
  double plain_ns = 0;  ///< the sum of all slices, as beta counts them
  double union_ns = 0;  ///< each moment once, however many streams or threads were at it
};

/// What patterns are made from, in short.
struct PatternSummary {
  std::int64_t cycles = 0;  ///< that the averages are of: the whole ones, or all if none is whole
  double cycle_ns = 0;
  double gpu_idle_ns = 0;          ///< of a cycle, with no work of its process on any device
  std::vector<ClassTime> classes;  ///< the longest first; those that occur
  std::vector<CounterCoverage> counters;
};

PatternSummary summarise_patterns(const Run& run, const Cycles& cycles);

}  // namespace tactus
