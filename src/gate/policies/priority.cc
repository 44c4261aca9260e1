// Decode before prefill: `second` is held while `first` has a unit on the GPU. What it loses is
// counted as a debt; when that is a slice, it is open until the debt is paid, so that over time it
// is open for `floor` of the time at least.
#include <algorithm>

#include "gate/policies/policies.h"

namespace tactus::gate {

Decision decide_priority(const Policy& policy, PolicyState& state, const Seen& seen) {
  const double passed = static_cast<double>(seen.now_ns - state.last_ns);
  const bool was_closed = (state.closed & bit(policy.second)) != 0;
  state.debt_ns += was_closed ? policy.floor * passed : -(1 - policy.floor) * passed;
  state.debt_ns = std::max(state.debt_ns, 0.0);
  if (state.debt_ns >= static_cast<double>(policy.slice_ns) * (1 - policy.floor)) {
    state.pays_debt = true;
  }
  if (state.debt_ns <= 0) state.pays_debt = false;
  const std::int64_t overdue = state.active_since_ns[policy.first] + policy.unit_limit_ns;
  if (!seen.classes[policy.first].is_active() || seen.now_ns >= overdue) return {};
  if (state.pays_debt) {
    const double left = state.debt_ns / std::max(1 - policy.floor, 0.01);
    return {0, seen.now_ns + static_cast<std::int64_t>(left) + 1};
  }
  std::int64_t again = overdue;
  if (policy.floor > 0) {
    const double room = static_cast<double>(policy.slice_ns) * (1 - policy.floor) - state.debt_ns;
    again = std::min(
        again, seen.now_ns + static_cast<std::int64_t>(std::max(room, 0.0) / policy.floor) + 1);
  }
  return {bit(policy.second), again};
}

}  // namespace tactus::gate
