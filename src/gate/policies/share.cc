// Each class with a share has a bucket of GPU time, which fills at that share and is emptied by
// what the class launches, at the cost that its agents measured. Without one, it empties while the
// class has unfinished work: an estimate, since two classes may be on the GPU at once. An empty
// bucket holds its class only while another class has work or waits.
#include <algorithm>

#include "gate/policies/policies.h"

namespace tactus::gate {
namespace {

double used_ns(const PolicyState& state, const Seen& seen, std::size_t number) {
  const ClassSeen& before = state.before[number];
  const ClassSeen& now = seen.classes[number];
  if (now.cost_ns > 0 && now.submitted >= before.submitted) {
    return static_cast<double>(now.submitted - before.submitted) * static_cast<double>(now.cost_ns);
  }
  return before.is_active() ? static_cast<double>(seen.now_ns - state.last_ns) : 0;
}

}  // namespace

Decision decide_share(const Policy& policy, PolicyState& state, const Seen& seen) {
  constexpr double kBucketNs = 20e6;
  constexpr double kRefillNs = 1e6;
  const double passed = static_cast<double>(seen.now_ns - state.last_ns);
  Decision decision;
  for (std::size_t i = 0; i < policy.classes.size(); ++i) {
    if (policy.share[i] <= 0) continue;
    double& tokens = state.tokens_ns[i];
    tokens += passed * policy.share[i] - used_ns(state, seen, i);
    tokens = std::clamp(tokens, -kBucketNs, kBucketNs);
    bool has_rival = false;
    for (std::size_t other = 0; other < policy.classes.size(); ++other) {
      has_rival =
          has_rival ||
          (other != i && (seen.classes[other].is_active() || seen.classes[other].waiting > 0));
    }
    const bool was_closed = (state.closed & bit(i)) != 0;
    // Once closed, it stays so until something worth opening for has gathered.
    if (!has_rival || tokens >= (was_closed ? kRefillNs : 0.0)) continue;
    decision.closed |= bit(i);
    const double wait = (kRefillNs - tokens) / policy.share[i];
    const std::int64_t at = seen.now_ns + static_cast<std::int64_t>(wait) + 1;
    decision.again_at_ns = decision.again_at_ns == 0 ? at : std::min(decision.again_at_ns, at);
  }
  // All closed would be nobody served.
  if (decision.closed == bit(policy.classes.size()) - 1) return {0, seen.now_ns + 1'000'000};
  if (decision.again_at_ns == 0) decision.again_at_ns = seen.now_ns + 1'000'000;
  return decision;
}

}  // namespace tactus::gate
