#include <fmt/format.h>

#include <cmath>

#include "gate/replay/simulate.h"
#include "stats/summary.h"

namespace tactus::gate {
namespace {

/// A thread that never pauses may be one that a clock starts: it was just never in time.
void note_more_done(Simulation& out) {
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
}

/// Of the simulation without a gate from the recording, as a share; 0 where nothing is known.
double off_by(double simulated, double recorded) {
  return recorded > 0 ? simulated / recorded - 1 : 0;
}

/// A simulation that does not come to what was recorded will not come to what a gate does.
void note_distance(Simulation& out) {
  constexpr double kFar = 0.15;
  constexpr std::size_t kFew = 5;  ///< units: too few for a median
  for (std::size_t c = 0; c < out.open.classes.size(); ++c) {
    const ClassOutcome& recorded = out.recorded.classes[c];
    const ClassOutcome& open = out.open.classes[c];
    if (recorded.between_ns.size() < kFew || open.between_ns.empty()) continue;
    std::vector<std::int64_t> was = recorded.between_ns;
    std::vector<std::int64_t> is = open.between_ns;
    const double time = off_by(quantile(is, 0.5), quantile(was, 0.5));
    const double units =
        off_by(static_cast<double>(open.units) /
                   static_cast<double>(std::max<std::int64_t>(out.open.took_ns, 1)),
               static_cast<double>(recorded.units) /
                   static_cast<double>(std::max<std::int64_t>(out.recorded.took_ns, 1)));
    out.farthest_off = std::max({out.farthest_off, std::abs(time), std::abs(units)});
    if (std::max(std::abs(time), std::abs(units)) <= kFar) continue;
    out.notes.push_back(fmt::format(
        "without a gate, {} is simulated {:+.0f}% off in time between units and {:+.0f}% in units "
        "per second from what was recorded: what is said of a gate is not to be trusted",
        recorded.name, 100 * time, 100 * units));
  }
}

}  // namespace

Simulation simulate_run(const LaunchTrace& trace, const Policy& policy,
                        std::optional<Sharing> sharing) {
  Policy open = policy;
  open.kind = PolicyKind::kOpen;
  open.depth = {};
  Simulation out;
  out.policy = std::string(name_of(policy.kind));
  out.device = find_sharing(trace, sharing);
  out.notes = out.device.notes;
  const LaunchTrace own = with_own_times(trace, out.device);
  const SimulationOptions options{.device = out.device};
  out.recorded = recorded_outcome(trace, policy);
  out.open = simulate(own, open, options);
  out.gated = simulate(own, policy, options);
  note_distance(out);
  note_more_done(out);
  return out;
}

}  // namespace tactus::gate
