#include "gate/replay/simulate.h"

namespace tactus::gate {

Simulation simulate_run(const LaunchTrace& trace, const Policy& policy,
                        const SimulationOptions& options) {
  Policy open = policy;
  open.kind = PolicyKind::kOpen;
  open.depth = {};
  Simulation out{.policy = std::string(name_of(policy.kind)),
                 .sharing = options.sharing,
                 .recorded = recorded_outcome(trace, policy),
                 .open = simulate(trace, open, options),
                 .gated = simulate(trace, policy, options),
                 .notes = {}};
  // A thread that never pauses may be one that a clock starts: it was just never in time.
  constexpr double kClearlyMore = 1.05;
  for (std::size_t c = 0; c < out.gated.classes.size(); ++c) {
    const std::int64_t recorded = out.recorded.classes[c].units;
    if (static_cast<double>(out.gated.classes[c].units) <=
        kClearlyMore * static_cast<double>(recorded)) {
      continue;
    }
    out.notes.push_back(out.gated.classes[c].name +
                        " gets more done than was recorded: that is so if its units begin when the "
                        "last one is done; if a clock or a client starts them, there are no more "
                        "of them, and the other classes get more");
  }
  return out;
}

}  // namespace tactus::gate
