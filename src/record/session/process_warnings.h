#pragma once

#include <string>
#include <vector>

#include "record/session/run_filler.h"

namespace tactus::record {

/// Why a process is not recorded in full mode; empty if it is, or if that was not tried.
std::string why_no_activities(std::int64_t pid, const AgentCounts& agent);

/// What was wanted of a process and could not be had, a line each.
std::vector<std::string> warnings_of(const ProcessAccount& process, const Wishes& wishes);

}  // namespace tactus::record
