#pragma once

#include "base/file.h"
#include "base/progress.h"
#include "run/run.h"

namespace tactus {

/// Writes the slices of a run as CSV: one row a slice, the arguments as JSON in the last column.
/// Runs that are summaries are written as the table that they are.
Status write_csv(const Run& run, OutputFile& file, Progress& progress);

}  // namespace tactus
