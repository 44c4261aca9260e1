#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "run/filter.h"

namespace tactus::cli {

inline constexpr const char* kCaptureHelp =
    "a trace of the capture of the CUDA graphs that are replayed; may be repeated";

/// Opens a run for a command that only looks at it; prints its warnings. Of a `.tact` file, only
/// the part with the window is read. `counters` are files besides those that lie beside the input.
Result<Run> open_for_reading(const std::string& input, const CommonOptions& common,
                             const std::vector<std::string>& captures = {},
                             const std::optional<TimeSpan>& window = {},
                             const std::vector<std::string>& counters = {});

/// The same for a command that needs times of events, which summaries do not have.
Result<Run> open_trace(const std::string& input, const CommonOptions& common);
/// The same for the traces of all ranks of a job, as one run.
Result<Run> open_traces(const std::vector<std::string>& inputs, const CommonOptions& common);

/// An error that names what to give if a run is a summary, which has no times of events.
Status guard_summary(const Run& run, const std::string& input);

/// If nothing of a run lies in the time that is asked for, a warning says when it lies.
void note_times(const SliceFilter& filter, const std::string& input, const CommonOptions& common,
                Run& run);

}  // namespace tactus::cli
