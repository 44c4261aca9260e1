#include <fmt/format.h>

#include <algorithm>
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

struct Distance {
  double time = 0;   ///< of the time between units, median
  double units = 0;  ///< per second
  double most() const { return std::max(std::abs(time), std::abs(units)); }
};

/// Of the simulation without a gate from what was recorded; nothing if there were too few units.
std::optional<Distance> distance(const Outcome& recorded, const Outcome& open, std::size_t c) {
  constexpr std::size_t kFew = 5;
  std::vector<std::int64_t> was = recorded.classes[c].between_ns;
  std::vector<std::int64_t> is = open.classes[c].between_ns;
  if (was.size() < kFew) return std::nullopt;
  if (is.empty()) return Distance{.time = 1, .units = -1};
  const auto rate = [&](const Outcome& outcome) {
    return static_cast<double>(outcome.classes[c].units) /
           static_cast<double>(std::max<std::int64_t>(outcome.took_ns, 1));
  };
  return Distance{.time = off_by(quantile(is, 0.5), quantile(was, 0.5)),
                  .units = off_by(rate(open), rate(recorded))};
}

double farthest(const Outcome& recorded, const Outcome& open) {
  double most = 0;
  for (std::size_t c = 0; c < open.classes.size(); ++c) {
    most = std::max(most, distance(recorded, open, c).value_or(Distance()).most());
  }
  return most;
}

/// A unit that needs a little more than so many turns takes a whole turn more: so a small error in
/// the length of turns can be a large one in the time of units. Of lengths and switches near those
/// that were read, the ones that come nearest to the recording.
void fit_turns(Simulation& out, const LaunchTrace& own, const Policy& open) {
  constexpr double kNear = 0.03;
  const DeviceSharing read = out.device;
  for (const double longer : {1.0, 0.975, 1.025, 0.95, 1.05}) {
    for (const double more : {1.0, 0.5, 1.5, 2.0}) {
      if (out.farthest_off <= kNear) return;
      DeviceSharing device = read;
      device.slice_ns = static_cast<std::int64_t>(longer * static_cast<double>(read.slice_ns));
      device.switch_ns = static_cast<std::int64_t>(more * static_cast<double>(read.switch_ns));
      Outcome outcome = simulate(own, open, {.device = device, .is_recorded = true});
      const double off = farthest(out.recorded, outcome);
      if (off >= out.farthest_off) continue;
      out.farthest_off = off;
      out.device = device;
      out.open = std::move(outcome);
    }
  }
}

/// A simulation that does not come to what was recorded will not come to what a gate does.
void note_distance(Simulation& out) {
  constexpr double kFar = 0.15;
  for (std::size_t c = 0; c < out.open.classes.size(); ++c) {
    const std::optional<Distance> off = distance(out.recorded, out.open, c);
    if (!off || off->most() <= kFar) continue;
    out.notes.push_back(fmt::format(
        "without a gate, {} is simulated {:+.0f}% off in time between units and {:+.0f}% in units "
        "per second from what was recorded: what is said of a gate is not to be trusted",
        out.recorded.classes[c].name, 100 * off->time, 100 * off->units));
  }
}

/// How late launches come behind a full queue is not in a recording without a limit.
void note_limit(Simulation& out, const Policy& policy) {
  if (out.device.sharing != Sharing::kSlices) return;
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    if (policy.depth[c] == 0) continue;
    out.notes.push_back(fmt::format(
        "by turns, {} gives its turn away when its few launches on the GPU are done before the "
        "host "
        "has launched more: how often is not in the recording, and its units per second may be off "
        "by a third",
        policy.classes[c]));
  }
}

/// A graph takes longer while its kernels are recorded; by how much, the recording does not show.
void note_graphs(Simulation& out, const LaunchTrace& trace) {
  if (out.device.sharing != Sharing::kSideBySide) return;
  for (std::size_t c = 0; c < out.gated.classes.size(); ++c) {
    const auto is_graph = [&](const TracedLaunch& launch) {
      return launch.is_graph && launch.class_number == c;
    };
    if (std::none_of(trace.launches.begin(), trace.launches.end(), is_graph)) continue;
    out.notes.push_back(fmt::format(
        "side by side, {} comes out somewhat too slow, and the others get up to a fifth less than "
        "they should: its graphs take longer in a recording than without one, by 8% on an H200",
        out.gated.classes[c].name));
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
  out.recorded = recorded_outcome(trace, policy);
  out.open = simulate(own, open, {.device = out.device, .is_recorded = true});
  out.farthest_off = farthest(out.recorded, out.open);
  if (out.device.sharing == Sharing::kSlices) fit_turns(out, own, open);
  out.gated = simulate(own, policy, {.device = out.device});
  note_distance(out);
  note_limit(out, policy);
  note_graphs(out, trace);
  note_more_done(out);
  return out;
}

}  // namespace tactus::gate
