#pragma once

#include <string>

#include "gate/replay/explain_policy.h"
#include "gate/replay/simulate.h"

namespace tactus {

/// What a policy would do with a recording.
std::string show_policy(const gate::PolicyExplained& explained, const Run& run, bool as_json);
/// What a policy would have made of it.
std::string show_simulation(const gate::Simulation& simulation, const Run& run, bool as_json);

}  // namespace tactus
