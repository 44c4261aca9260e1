#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "run/run.h"

namespace tactus::watch {

/// Leaves in a run what starts in a stretch of time [ns of the run]: slices, instants, flow points,
/// samples of counters, and links between slices that are left.
void cut_run(Run& run, const TimeSpan& span);

/// Writes what a file holds of a stretch of time [ns since the epoch] to a new file. The value is
/// how many slices it has; an error if there are none.
Result<std::size_t> cut_file(const std::string& path, const TimeSpan& span,
                             const std::string& output, bool overwrite);

}  // namespace tactus::watch
