#pragma once

#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// How often each function runs in each cycle, how long, and what the counters say meanwhile:
/// beta (share of the cycle), mu and sigma (level and spread of a counter while it ran), one row
/// per cycle, function, metric and device, as in a `*_perf_data.csv`. Texts are put into the
/// strings of `into`, which becomes a run of patterns with the same sources and counters' facts.
Patterns make_patterns(const Run& run, const Cycles& cycles, StringPool& strings);

}  // namespace tactus
