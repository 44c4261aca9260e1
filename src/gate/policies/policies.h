// One function per policy. `state` was brought up to date before: see decide().
#pragma once

#include "gate/policy.h"

namespace tactus::gate {

inline std::uint32_t bit(std::size_t class_number) {
  return 1u << class_number;
}

Decision decide_priority(const Policy& policy, PolicyState& state, const Seen& seen);
Decision decide_share(const Policy& policy, PolicyState& state, const Seen& seen);
Decision decide_slo(const Policy& policy, const PolicyState& state, const Seen& seen);
Decision decide_window(const Policy& policy, const PolicyState& state, const Seen& seen);

}  // namespace tactus::gate
