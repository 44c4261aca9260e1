#include <algorithm>
#include <utility>

#include "gate/policies/policies.h"

namespace tactus::gate {
namespace {

void learn_value(double& value, double sample) {
  constexpr double kNew = 0.2;  ///< weight of the newest
  value = value == 0 ? sample : value + kNew * (sample - value);
}

/// Learns how long a unit takes: from the launch that found its class idle to the wait that ended.
void learn(PolicyState& state, const Seen& seen) {
  for (std::size_t i = 0; i < kClasses; ++i) {
    const ClassSeen& before = state.before[i];
    const ClassSeen& now = seen.classes[i];
    if (now.done > before.done) {
      state.last_asked_ns[i] = std::exchange(state.asked_ns[i], 0);
      if (state.active_since_ns[i] > 0) {
        learn_value(state.unit_ns[i], static_cast<double>(seen.now_ns - state.active_since_ns[i]));
      }
      learn_value(state.per_unit[i], static_cast<double>(now.done - before.done));
      const std::int64_t last = state.last_done_ns[i];
      state.between_ns[i] = last == 0 ? 0 : seen.now_ns - last;
      state.last_done_ns[i] = seen.now_ns;
    }
    if ((now.is_active() || now.waiting > 0) && state.asked_ns[i] == 0) {
      state.asked_ns[i] = seen.now_ns;
    }
    if (now.is_active() || before.is_active()) state.last_active_ns[i] = seen.now_ns;
    if (now.is_active() && (!before.is_active() || now.done > before.done)) {
      state.active_since_ns[i] = seen.now_ns;
    }
  }
}

/// A class that has a depth is limited while another one is there, or was a moment ago: alone, it
/// would only lose by it.
std::uint32_t limited_classes(const Policy& policy, const PolicyState& state, const Seen& seen) {
  constexpr std::int64_t kMomentNs = 100'000'000;
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < policy.classes.size(); ++i) {
    if (policy.depth[i] == 0) continue;
    for (std::size_t other = 0; other < policy.classes.size(); ++other) {
      const std::int64_t last = state.last_active_ns[other];
      if (other != i && last != 0 && seen.now_ns - last < kMomentNs) out |= bit(i);
    }
  }
  return out;
}

Decision of_kind(const Policy& policy, PolicyState& state, const Seen& seen) {
  switch (policy.kind) {
    case PolicyKind::kOpen: return {};
    case PolicyKind::kPriority: return decide_priority(policy, state, seen);
    case PolicyKind::kShare: return decide_share(policy, state, seen);
    case PolicyKind::kSlo: return decide_slo(policy, state, seen);
    case PolicyKind::kWindow: return decide_window(policy, state, seen);
  }
  return {};
}

}  // namespace

double unit_cost_ns(const PolicyState& state, const Seen& seen, std::size_t number) {
  const double measured =
      static_cast<double>(seen.classes[number].cost_ns) * state.per_unit[number];
  return measured > 0 ? measured : state.unit_ns[number];
}

double residual_ns(const Policy& policy, const PolicyState& state, const Seen& seen,
                   std::size_t number) {
  const double unit = unit_cost_ns(state, seen, number);
  if (policy.depth[number] == 0 || seen.classes[number].cost_ns == 0) return unit;
  const std::uint64_t cost = seen.classes[number].cost_ns;
  return std::min(unit,
                  static_cast<double>(depth_now(policy, number, cost)) * static_cast<double>(cost));
}

std::uint32_t depth_now(const Policy& policy, std::size_t number, std::uint64_t cost_ns) {
  return wire::depth_of(policy.depth[number], static_cast<std::uint64_t>(policy.queue_ns), cost_ns);
}

Decision decide(const Policy& policy, PolicyState& state, const Seen& seen) {
  if (!state.is_started) {
    state.is_started = true;
    state.begin_ns = state.last_ns = seen.now_ns;
  }
  Seen now = seen;
  now.now_ns = std::max(seen.now_ns, state.last_ns);
  learn(state, now);
  Decision decision = of_kind(policy, state, now);
  if (decision.again_at_ns != 0) {
    decision.again_at_ns = std::max(decision.again_at_ns, now.now_ns + 1);
  }
  decision.limited = limited_classes(policy, state, now);
  state.closed = decision.closed;
  state.last_ns = now.now_ns;
  state.before = now.classes;
  return decision;
}

std::uint32_t counted_classes(const Policy& policy) {
  const bool has_depth = std::any_of(policy.depth.begin(), policy.depth.end(),
                                     [](std::uint32_t depth) { return depth != 0; });
  if (policy.kind == PolicyKind::kOpen && !has_depth) return 0;
  return bit(policy.classes.size()) - 1;
}

std::uint32_t timed_classes(const Policy& policy) {
  const bool uses_cost = policy.kind == PolicyKind::kShare || policy.kind == PolicyKind::kSlo;
  return uses_cost ? counted_classes(policy) : 0;
}

std::uint32_t ringing_classes(const Policy& policy) {
  std::uint32_t rivals = 0;  ///< of classes with a depth
  for (std::size_t i = 0; i < policy.classes.size(); ++i) {
    if (policy.depth[i] != 0) rivals |= counted_classes(policy) & ~bit(i);
  }
  switch (policy.kind) {
    case PolicyKind::kOpen:
    case PolicyKind::kWindow: return rivals;
    case PolicyKind::kPriority: return rivals | bit(policy.first);
    case PolicyKind::kShare:
    case PolicyKind::kSlo: return counted_classes(policy);
  }
  return 0;
}

}  // namespace tactus::gate
