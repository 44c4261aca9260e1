#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "run/run.h"

namespace tactus::watch {

/// Leaves in a run what starts in a stretch of time [ns of the run]: slices, instants, flow points,
/// samples of counters, and links between slices that are left.
void cut_run(Run& run, const TimeSpan& span);

/// What a .tact file holds of a stretch of time [ns since the epoch]; no more of it is read. An
/// error if there are no slices.
Result<Run> open_cut(const std::string& path, const TimeSpan& span);
/// Writes such a part to a file that only its owner can read.
Status write_cut(Run& run, const std::string& output, bool overwrite);
/// Both. The value is how many slices the part has.
Result<std::size_t> cut_file(const std::string& path, const TimeSpan& span,
                             const std::string& output, bool overwrite);

}  // namespace tactus::watch
