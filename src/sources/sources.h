#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "run/run.h"

namespace tactus {

struct ImportRequest {
  /// Files, folders, or "-" for standard input. Several are the ranks of one job.
  std::vector<std::string> inputs;
  /// Counter samples for these inputs; those beside an input are found automatically.
  std::vector<std::string> counters;
  /// Traces of the capture of graphs that the inputs replay.
  std::vector<std::string> captures;
  unsigned threads = 1;
  std::size_t window_bytes = 256 << 10;  ///< text read at a time
};

struct Imported {
  Run run;
  std::uint64_t bytes_read = 0;  ///< from disk
};

/// Reads inputs of any format into one Run.
Result<Imported> import_run(const ImportRequest& request, Progress& progress);

/// Opens a `.tact` file, or imports any other input.
Result<Imported> open_or_import(const ImportRequest& request, Progress& progress);

}  // namespace tactus
