#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "run/run.h"
#include "sources/align_clocks.h"

namespace tactus {

struct ImportRequest {
  /// Files, folders, or "-" for standard input. Several are the ranks of one job.
  std::vector<std::string> inputs;
  /// Counter samples for these inputs; those beside an input are found automatically.
  std::vector<std::string> counters;
  /// Traces of the capture of graphs that the inputs replay.
  std::vector<std::string> captures;
  /// Ranks and hosts of the inputs, in their order, where the inputs do not say it themselves; one
  /// host may stand for all.
  std::vector<std::int64_t> ranks;
  std::vector<std::string> hosts;
  Alignment align = Alignment::kAuto;
  bool merge = false;  ///< also inputs that are clearly not of one job
  /// The time that is looked at [ns of the run]; of a `.tact` file, only that is read.
  std::optional<TimeSpan> window;
  unsigned threads = 1;
  std::size_t window_bytes = 256 << 10;  ///< text read at a time
};

struct Imported {
  Run run;
  std::uint64_t bytes_read = 0;  ///< from disk
};

/// Reads inputs of any format into one Run. Its times are those of the sources, as a file keeps
/// them; `Run::apply_clocks` maps them.
Result<Imported> import_run(const ImportRequest& request, Progress& progress);

/// Opens a `.tact` file, or imports any other input; its times are those of the run.
Result<Imported> open_or_import(const ImportRequest& request, Progress& progress);

}  // namespace tactus
