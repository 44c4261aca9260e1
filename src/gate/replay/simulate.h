// What a policy would have made of a recording: its threads launch and wait as they did, through
// the gate's own policies, on a device that works as we think it does.
#pragma once

#include "gate/replay/device_sharing.h"
#include "gate/replay/launch_trace.h"

namespace tactus::gate {

struct SimulationOptions {
  DeviceSharing device;
  /// Launches of graphs take what they took while they were recorded.
  bool is_recorded = false;
  std::int64_t react_ns = 30'000;  ///< from a ring to the decision, and from opening to going on
};

struct ClassOutcome {
  std::string name;
  std::vector<std::int64_t> between_ns;  ///< from the end of a unit to that of the next
  std::int64_t units = 0;
  std::int64_t launches = 0;
  std::int64_t gpu_ns = 0;  ///< of its kernels that ran
  std::int64_t held = 0;
  std::int64_t held_ns = 0;
  std::int64_t expired = 0;
  std::int64_t rested = 0;
  std::int64_t queued = 0;
};

struct Outcome {
  std::int64_t took_ns = 0;
  std::vector<ClassOutcome> classes;
};

/// As it was recorded.
Outcome recorded_outcome(const LaunchTrace& trace, const Policy& policy);
/// Kernels take what the trace says, on such a device: see with_own_times(). For as long as the
/// recording took; a thread that is done sooner begins again.
Outcome simulate(const LaunchTrace& trace, const Policy& policy, const SimulationOptions& options);

/// The three of them, for `tactus gate simulate`.
struct Simulation {
  std::string policy;
  DeviceSharing device;
  Outcome recorded;
  Outcome open;  ///< without a gate: how far the model can be trusted
  Outcome gated;
  double farthest_off = 0;         ///< "open" from "recorded", as a share; of the worst class
  std::vector<std::string> notes;  ///< what the recording does not show
};
/// Without `sharing`, it is as the recording shows it.
Simulation simulate_run(const LaunchTrace& trace, const Policy& policy,
                        std::optional<Sharing> sharing = std::nullopt);

}  // namespace tactus::gate
