#pragma once

#include <string>

#include "gate/status.h"

namespace tactus {

/// What a gate does: its classes and the processes that take part.
std::string show_gate(const gate::GateStatus& status, bool as_json);

}  // namespace tactus
