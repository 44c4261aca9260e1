// One function per policy. `state` was brought up to date before: see decide().
#pragma once

#include "gate/policy.h"

namespace tactus::gate {

inline std::uint32_t bit(std::size_t class_number) {
  return 1u << class_number;
}

/// How long a unit of a class keeps the GPU: what its agents measured; else, from its first launch
/// to the end of the wait for it. 0: unknown.
double unit_cost_ns(const PolicyState& state, const Seen& seen, std::size_t number);
/// What is on the GPU still when a class is closed: its depth, or a whole unit.
double residual_ns(const Policy& policy, const PolicyState& state, const Seen& seen,
                   std::size_t number);

Decision decide_priority(const Policy& policy, PolicyState& state, const Seen& seen);
Decision decide_share(const Policy& policy, PolicyState& state, const Seen& seen);
Decision decide_slo(const Policy& policy, PolicyState& state, const Seen& seen);
Decision decide_window(const Policy& policy, const PolicyState& state, const Seen& seen);

}  // namespace tactus::gate
