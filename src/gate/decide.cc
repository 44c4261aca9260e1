#include <algorithm>

#include "gate/policies/policies.h"

namespace tactus::gate {
namespace {

/// Learns how long a unit takes: from the launch that found its class idle to the wait that ended.
void learn(PolicyState& state, const Seen& seen) {
  constexpr double kNew = 0.2;  ///< weight of the newest
  for (std::size_t i = 0; i < kClasses; ++i) {
    const ClassSeen& before = state.before[i];
    const ClassSeen& now = seen.classes[i];
    if (now.done > before.done) {
      if (state.active_since_ns[i] > 0) {
        const double took = static_cast<double>(seen.now_ns - state.active_since_ns[i]);
        double& unit = state.unit_ns[i];
        unit = unit == 0 ? took : unit + kNew * (took - unit);
      }
      state.last_done_ns[i] = seen.now_ns;
    }
    if (now.is_active() && (!before.is_active() || now.done > before.done)) {
      state.active_since_ns[i] = seen.now_ns;
    }
  }
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
  state.closed = decision.closed;
  state.last_ns = now.now_ns;
  state.before = now.classes;
  return decision;
}

std::uint32_t counted_classes(const Policy& policy) {
  if (policy.kind == PolicyKind::kOpen) return 0;
  return bit(policy.classes.size()) - 1;
}

std::uint32_t ringing_classes(const Policy& policy) {
  switch (policy.kind) {
    case PolicyKind::kOpen:
    case PolicyKind::kWindow: return 0;
    case PolicyKind::kPriority: return bit(policy.first);
    case PolicyKind::kShare:
    case PolicyKind::kSlo: return counted_classes(policy);
  }
  return 0;
}

}  // namespace tactus::gate
