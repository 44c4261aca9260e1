#pragma once

#include <string>

#include "base/json.h"
#include "measure/idle_time.h"

namespace tactus {

/// Why the devices idled, in a few sentences; empty if they hardly did.
std::string idle_summary(const IdleTime& idle);

/// What the host did meanwhile, the longest first; empty if nobody knows.
std::string idle_places(const IdleTime& idle);

/// What would make the devices idle less, in a sentence; empty if the host is not the reason.
std::string idle_advice(const IdleTime& idle);

/// With the first places of each cause, and how many there are.
Json idle_json(const IdleTime& idle);

}  // namespace tactus
