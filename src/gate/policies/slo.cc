// A target for the time between two units of `first` (tokens). `second` is held when the next unit
// of `first` could be late: when the time that is left, less what a unit of `first` takes, is
// shorter than what `second` has on the GPU. That plan is too careful if both get on at the same
// time, and too bold if costs are not what they were: so it learns from every token.
//
// With `turns`, `second` has the GPU for itself from the end of a token on: the next unit of
// `first` waits for as long as it can and still be in time. Where the GPU itself gives processes
// turns, this wastes less than letting both on at once.
#include <algorithm>

#include "gate/policies/policies.h"

namespace tactus::gate {
namespace {

/// Closes a little later after each token that came in time, much earlier after one that was late:
/// in balance, one of a hundred is late. The steps get smaller when that is near.
void learn_grace(const Policy& policy, PolicyState& state, const Seen& seen) {
  const ClassSeen& second = seen.classes[policy.second];
  if (seen.classes[policy.first].done == state.before[policy.first].done) return;
  const auto target = static_cast<double>(policy.target_ns);
  // One that was asked for so late that it could not be in time is nobody's fault.
  const std::int64_t last = state.last_done_ns[policy.first] - state.between_ns[policy.first];
  const double in_time =
      static_cast<double>(state.last_asked_ns[policy.first] - last) +
      static_cast<double>(seen.classes[policy.first].cost_ns) * state.per_unit[policy.first];
  const bool is_late = state.between_ns[policy.first] > policy.target_ns && in_time <= target;
  const bool has_rival = second.is_active() || second.waiting > 0;
  constexpr double kLargest = 1.0 / 400;  ///< steps, as shares of the target
  constexpr double kSmallest = 1.0 / 4000;
  double& step = state.grace_step;
  if (step == 0) step = kLargest;
  if (is_late && has_rival) {
    state.grace_ns -= 99 * step * target;
    step = std::max(step * 0.7, kSmallest);
  } else if (!is_late && state.closed_for_unit) {
    state.grace_ns += step * target;
    step = std::min(step * 1.005, kLargest);
  }
  state.grace_ns = std::clamp(state.grace_ns, -target, target);
  state.closed_for_unit = false;
}

/// Whether `second` could use a turn.
bool has_rival(const Policy& policy, const PolicyState& state, const Seen& seen) {
  constexpr std::int64_t kMomentNs = 2'000'000;  ///< between two units of `second`
  const ClassSeen& second = seen.classes[policy.second];
  const std::int64_t last = state.last_active_ns[policy.second];
  return second.is_active() || second.waiting > 0 || (last != 0 && seen.now_ns - last < kMomentNs);
}

/// While a unit of `first` is on the GPU, the next one is closed already: it may come sooner than
/// the news that this one is done.
bool is_whole_unit_on_gpu(const Policy& policy, const PolicyState& state, const Seen& seen) {
  const ClassSeen& first = seen.classes[policy.first];
  const double launches = state.per_unit[policy.first];
  return launches > 0 && static_cast<double>(first.submitted - first.done) >= launches - 0.1;
}

/// Until when `first` waits because it is the turn of `second`.
std::int64_t turn_end_ns(const Policy& policy, const PolicyState& state, const Seen& seen,
                         std::int64_t from, double plan) {
  constexpr double kOverlap = 0.15;  ///< of a unit of `first`, in which both may launch
  constexpr double kMost = 0.45;  ///< of the target: a class is held for half of the time at most
  const double end =
      std::min(plan - kOverlap * unit_cost_ns(state, seen, policy.first),
               static_cast<double>(from) + kMost * static_cast<double>(policy.target_ns));
  return static_cast<std::int64_t>(end);
}

/// Adds the turns to a decision about `second`.
Decision with_turns(const Policy& policy, const PolicyState& state, const Seen& seen,
                    Decision decision, std::int64_t turn_end) {
  if (!policy.turns || !has_rival(policy, state, seen)) return decision;
  if (seen.classes[policy.first].is_active()) {
    if (is_whole_unit_on_gpu(policy, state, seen)) decision.closed |= bit(policy.first);
    return decision;
  }
  if (turn_end <= seen.now_ns) return decision;
  const std::int64_t soon = seen.now_ns + 1'000'000;  // the rival may be gone
  return {bit(policy.first), std::min(turn_end, soon)};
}

}  // namespace

Decision decide_slo(const Policy& policy, PolicyState& state, const Seen& seen) {
  learn_grace(policy, state, seen);
  const std::int64_t last = state.last_done_ns[policy.first];
  const ClassSeen& first = seen.classes[policy.first];
  const bool is_active = first.is_active();
  const bool is_asked_for = is_active || first.waiting > 0;
  if (!is_active && last == 0) return {};
  const std::int64_t overdue = state.active_since_ns[policy.first] + policy.unit_limit_ns;
  if (is_active && seen.now_ns >= overdue) return {};
  const std::int64_t from = last != 0 ? last : state.active_since_ns[policy.first];
  const double due =
      static_cast<double>(from + policy.target_ns) - unit_cost_ns(state, seen, policy.first);
  const double plan = due - residual_ns(policy, state, seen, policy.second) + state.grace_ns;
  // A class is held for half of the time at most: what is used up now is missing later.
  constexpr double kEarliest = 0.5;
  const double close_at =
      std::max(plan, static_cast<double>(from) + kEarliest * static_cast<double>(policy.target_ns));
  // Nobody has asked for a token that would be in time: nobody is waited for.
  if (!is_asked_for && static_cast<double>(seen.now_ns) >= due) return {};
  Decision decision{0, static_cast<std::int64_t>(close_at) + 1};
  if (static_cast<double>(seen.now_ns) >= close_at) {
    state.closed_for_unit = true;
    decision = {bit(policy.second), is_active ? overdue : static_cast<std::int64_t>(due) + 1};
  }
  return with_turns(policy, state, seen, decision, turn_end_ns(policy, state, seen, from, plan));
}

}  // namespace tactus::gate
