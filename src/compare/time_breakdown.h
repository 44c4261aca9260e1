#pragma once

#include "compare/comparison.h"
#include "compare/runs/compared_run.h"

namespace tactus {

/// Where the time went, by class, by function, and idle time of the device: absolute time per unit
/// of work (a cycle, or a launch times the launches of a normal cycle). For a collective, the
/// shortest time of all ranks counts; the rest is waiting for other ranks.
std::vector<TimeBreakdownRow> where_the_time_went(const ComparedRun& normal,
                                                  const ComparedRun& abnormal, bool per_launch);

/// The ratio of a class ("gpu_compute", "oncpu", "collective", ...) per unit of work, if both runs
/// have it.
std::optional<double> ratio_of_class(const std::vector<TimeBreakdownRow>& rows,
                                     std::string_view type);

}  // namespace tactus
