// A window for maintenance or a profile: `first` is held for hold_ns, once or every every_ns.
#include "gate/policies/policies.h"

namespace tactus::gate {

Decision decide_window(const Policy& policy, const PolicyState& state, const Seen& seen) {
  const std::int64_t since = seen.now_ns - state.begin_ns;
  const std::int64_t in_turn = policy.every_ns > 0 ? since % policy.every_ns : since;
  if (in_turn < policy.hold_ns) {
    return {bit(policy.first), seen.now_ns + policy.hold_ns - in_turn};
  }
  return {0, policy.every_ns > 0 ? seen.now_ns + policy.every_ns - in_turn : 0};
}

}  // namespace tactus::gate
