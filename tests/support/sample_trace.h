#pragma once

#include <string>

namespace tactus::testing {

/// A trace with some of everything: ops with shapes, launches, kernels, arrows, Python frames,
/// instants, counters, names, open slices, odd pids, and texts that look like the ends of events.
std::string sample_trace(int steps);

}  // namespace tactus::testing
