#pragma once

#include "base/file.h"
#include "base/progress.h"
#include "run/run.h"

namespace tactus {

/// Writes a run as a Chrome trace, in Kineto's manner. Read back, it gives an equal run.
/// The pids of a second and further source are written as "rankN(pid)".
Status write_chrome(const Run& run, OutputFile& file, Progress& progress);

}  // namespace tactus
