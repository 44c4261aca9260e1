#pragma once

#include <string>

#include "gate/status.h"

namespace tactus {

/// What a gate does: its classes and the processes that take part.
/// `width` of the terminal; 0 for no limit.
std::string show_gate(const gate::GateStatus& status, bool as_json, std::size_t width);

}  // namespace tactus
