// A target for the time between two units of `first` (tokens). `second` is held when the next unit
// of `first` could be late: when the time that is left, less what a unit of `first` takes, is
// shorter than what `second` has on the GPU. That plan is too careful if both get on at the same
// time, and too bold if costs are not what they were: so it learns from every token.
#include <algorithm>

#include "gate/policies/policies.h"

namespace tactus::gate {
namespace {

/// Closes a little later after each token that came in time, much earlier after one that was late:
/// in balance, one of a hundred is late.
void learn_grace(const Policy& policy, PolicyState& state, const Seen& seen) {
  const ClassSeen& second = seen.classes[policy.second];
  if (seen.classes[policy.first].done == state.before[policy.first].done) return;
  const auto target = static_cast<double>(policy.target_ns);
  // One that was asked for late, and took no longer than it must, is nobody's fault.
  const double must =
      1.2 * static_cast<double>(seen.classes[policy.first].cost_ns) * state.per_unit[policy.first];
  const bool is_late = state.between_ns[policy.first] > policy.target_ns &&
                       static_cast<double>(state.took_ns[policy.first]) > must;
  const bool has_rival = second.is_active() || second.waiting > 0;
  if (is_late && has_rival) state.grace_ns -= target / 4;
  if (!is_late && state.closed_for_unit) state.grace_ns += target / 400;
  state.grace_ns = std::clamp(state.grace_ns, -target, target);
  state.closed_for_unit = false;
}

}  // namespace

Decision decide_slo(const Policy& policy, PolicyState& state, const Seen& seen) {
  learn_grace(policy, state, seen);
  const std::int64_t last = state.last_done_ns[policy.first];
  const bool is_active = seen.classes[policy.first].is_active();
  if (!is_active && last == 0) return {};
  const std::int64_t overdue = state.active_since_ns[policy.first] + policy.unit_limit_ns;
  if (is_active && seen.now_ns >= overdue) return {};
  const std::int64_t from = last != 0 ? last : state.active_since_ns[policy.first];
  const double due =
      static_cast<double>(from + policy.target_ns) - unit_cost_ns(state, seen, policy.first);
  const double close_at = due - residual_ns(policy, state, seen, policy.second) + state.grace_ns;
  // Nobody has asked for a token that would be in time: nobody is waited for.
  if (!is_active && static_cast<double>(seen.now_ns) >= due) return {};
  if (static_cast<double>(seen.now_ns) >= close_at) {
    state.closed_for_unit = true;
    return {bit(policy.second), is_active ? overdue : static_cast<std::int64_t>(due) + 1};
  }
  return {0, static_cast<std::int64_t>(close_at) + 1};
}

}  // namespace tactus::gate
