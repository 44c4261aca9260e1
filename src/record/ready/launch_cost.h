#pragma once

#include "base/result.h"

namespace tactus::record {

/// What recording adds to a launch on this machine, measured in a process of its own.
struct LaunchCost {
  double idle_ns = 0;      ///< the agent is inside and nobody records
  double recorded_ns = 0;  ///< light mode
};

/// Takes about a fifth of a second.
Result<LaunchCost> measure_launch_cost();

/// Processor time that the host tracer adds to a switch of threads [ns]. Needs the right to trace.
Result<double> measure_switch_cost();

}  // namespace tactus::record
