#pragma once

#include "base/file.h"
#include "base/progress.h"
#include "run/run.h"

namespace tactus {

/// Writes a run as a Chrome trace, as Kineto does. Reading it again gives an equal run.
/// The pids of the second and further sources are written as "rankN(pid)".
Status write_chrome(const Run& run, OutputFile& file, Progress& progress);

}  // namespace tactus
