#pragma once

#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// How often each function runs in each cycle, how long, and the counters while it runs: one row
/// per cycle, process, function, metric and device, as in a `*_perf_data.csv`:
///
///   beta      the plain sum of its slices over the cycle's length, which several streams or
///             threads at once can lift above 100 % (union_ns_per_cycle counts a moment once)
///   mu        the counter's level while it ran, weighted by the slices' lengths
///   sigma     the counter's spread within the slices, weighted likewise
///
/// A function without any counter has one row with the metric "N/A". Cycles count from 1 in each
/// process. Texts are put into `strings`. Rows are sorted by cycle, process, beta (largest first),
/// metric, function and device.
Patterns make_patterns(const Run& run, const Cycles& cycles, StringPool& strings);

/// The pid of a process in patterns: that of the system if it is known.
std::int64_t pid_of(const Run& run, std::uint32_t process);

/// The same as a run of its own, as if a `*_perf_data.csv` had been read.
Run run_of_patterns(const Run& run, const Cycles& cycles);

}  // namespace tactus
