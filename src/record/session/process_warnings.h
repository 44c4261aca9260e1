#pragma once

#include <string>
#include <vector>

#include "record/session/run_filler.h"

namespace tactus::record {

/// What was wanted of a process and could not be had, a line each.
std::vector<std::string> warnings_of(const ProcessAccount& process, const Wishes& wishes);

}  // namespace tactus::record
