#pragma once

#include "base/file.h"
#include "base/progress.h"
#include "cycles/wanted_slices.h"
#include "run/run.h"

namespace tactus {

// No export has the slices of captures: they are not part of the run.

/// Writes a run as a Chrome trace, as Kineto does. Reading it again gives an equal run.
/// The pids of the second and further sources are written as "rankN(pid)".
/// Only what is wanted is written.
Status write_chrome(const Run& run, const WantedSlices& wanted, OutputFile& file,
                    Progress& progress);

/// Writes a run as a trace of Perfetto (protocol buffers). Slices that overlap on their track go to
/// further tracks; links become flows, arguments debug annotations. Reading it again gives the same
/// slices, instants, counters and links.
Status write_perfetto(const Run& run, const WantedSlices& wanted, OutputFile& file,
                      Progress& progress);

/// Writes a run as CSV: one row per slice, with the arguments as JSON in the last column. A run
/// without slices is written as its own table: its kernel table, its patterns (`*_perf_data.csv`)
/// or its counters (`timestamp_ns,counter,device,value`).
Status write_csv(const Run& run, const WantedSlices& wanted, OutputFile& file, Progress& progress);

}  // namespace tactus
