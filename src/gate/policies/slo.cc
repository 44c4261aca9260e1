// A target for the time between two units of `first` (tokens). `second` is held when the next unit
// of `first` could be late: when the time that is left, less what a unit of `first` takes, is
// shorter than a unit of `second`.
#include <algorithm>

#include "gate/policies/policies.h"

namespace tactus::gate {

Decision decide_slo(const Policy& policy, const PolicyState& state, const Seen& seen) {
  const std::int64_t last = state.last_done_ns[policy.first];
  const bool is_active = seen.classes[policy.first].is_active();
  // No token for four targets: nobody waits for one.
  const std::int64_t quiet = last + 4 * policy.target_ns;
  if (!is_active && (last == 0 || seen.now_ns >= quiet)) return {};
  const std::int64_t overdue = state.active_since_ns[policy.first] + policy.unit_limit_ns;
  if (is_active && seen.now_ns >= overdue) return {};
  const std::int64_t from = last != 0 ? last : state.active_since_ns[policy.first];
  const double due = static_cast<double>(from + policy.target_ns) - state.unit_ns[policy.first];
  const double close_at = due - state.unit_ns[policy.second];
  if (static_cast<double>(seen.now_ns) >= close_at) {
    return {bit(policy.second), is_active ? overdue : quiet};
  }
  return {0, static_cast<std::int64_t>(close_at) + 1};
}

}  // namespace tactus::gate
