#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "record/session/run_filler.h"
#include "run/facts.h"

namespace tactus::record {

struct RecordRequest {
  std::string output;
  bool overwrite = false;
  std::vector<std::string> command;        ///< either this ..
  std::optional<std::int64_t> pid;         ///< .. or this
  std::optional<double> seconds;           ///< record no longer than this
  std::optional<std::uint64_t> max_bytes;  ///< .. nor more
  std::uint32_t budget_ppm = 10'000;
  double meters_hz = 10;  ///< 0: no meters
  /// Asked several times per second; true ends the recording of a process as Ctrl-C does.
  ShouldStop should_stop = nullptr;
};

/// Why a recording ended.
enum class Ending : unsigned char { kCommandEnded, kTimeIsUp, kFileIsFull, kInterrupted, kFailed };

struct RecordAccount {
  std::vector<ProcessAccount> processes;
  Ending ending = Ending::kCommandEnded;
  double seconds = 0;
  std::uint64_t bytes = 0;
  std::uint64_t slices = 0;
  Tally dropped;
  std::vector<std::string> warnings;
  std::optional<int> exit_code;  ///< of the command
  std::optional<Error> failure;  ///< of the recording; the command was not touched by it
};

/// Records until the command or the process ends, the time is up, or a signal (Ctrl-C) says so.
/// Returns when the command has ended. An error if nothing was started.
Result<RecordAccount> record(const RecordRequest& request);

}  // namespace tactus::record
