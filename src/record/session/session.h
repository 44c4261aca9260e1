#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "record/beside/injected_truth.h"
#include "record/meters/budget.h"
#include "record/session/fill/host_filler.h"
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
  Wishes wishes;
  double meters_hz = 10;                         ///< 0: no meters
  bool inject = false;                           ///< load the agent into the process
  bool needs_agent = false;                      ///< a process without it is an error
  bool host = false;                             ///< trace threads on the host (eBPF)
  std::int64_t host_shortest_ns = 100'000;       ///< waits below this are counted, not written
  std::optional<double> ring_seconds;            ///< keep only the last seconds, until a trigger
  std::optional<std::int64_t> slower_ns;         ///< a step slower than this is a trigger
  std::function<void(const std::string&)> tell;  ///< what should be known at once
  /// Why nobody can have full mode for a while in this recording; empty: they can.
  std::string no_window;
  /// Asked several times per second; true ends the recording of a process as Ctrl-C does.
  ShouldStop should_stop = nullptr;
  /// Called on the recorder's thread; must return at once.
  std::function<BesideAnswer(const BesideMoment&)> beside;
};

/// Why a recording ended.
enum class Ending : unsigned char {
  kCommandEnded,
  kTimeIsUp,
  kFileIsFull,
  kInterrupted,
  kTriggered,
  kFailed
};

struct RecordAccount {
  std::vector<ProcessAccount> processes;
  std::optional<HostAccount> host;  ///< nothing if threads were not traced
  Ending ending = Ending::kCommandEnded;
  double seconds = 0;
  std::uint64_t bytes = 0;
  std::uint64_t slices = 0;
  std::vector<meters::MeterRate> meters;  ///< how often each was read
  std::vector<InjectedTruth> injections;  ///< that ran meanwhile, as they are in the file
  std::string trigger;                    ///< what ended a ring: "a signal", "a step of 52.1 ms"
  Tally dropped;
  std::vector<std::string> warnings;
  std::vector<std::string> remarks;  ///< how it was recorded
  std::optional<int> exit_code;      ///< of the command
  std::optional<Error> failure;      ///< of the recording; the command was not touched by it
};

/// Records until the command or the process ends, the time is up, or a signal (Ctrl-C) says so.
/// Returns when the command has ended. An error if nothing was started.
Result<RecordAccount> record(const RecordRequest& request);

}  // namespace tactus::record
