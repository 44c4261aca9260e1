#pragma once

#include <string>

#include "run/run.h"

namespace tactus {

/// Adds the samples of a run that has nothing but counters to an open run, at their time of day.
/// They belong to its only source, if it has only one, or else to the host.
void join_counters(Run&& samples, Run& run);

/// What to say of the same counter in two files that were recorded with one input; empty if there
/// is none.
std::string counters_twice(const Run& run);

}  // namespace tactus
