#pragma once

#include <memory>

#include "bench/timing/timed_calls.h"
#include "bench/trial/call_judge.h"
#include "bench/trial/call_series.h"

namespace tactus {

/// A worker with the same task that never loads the candidate, asked just beside the candidate's.
/// What its requests cost is the doing of the machine, now: on a busy one they are dearer, too, and
/// what a candidate hides shows in its own requests only. The candidate cannot look into it.
class ControlWorker {
 public:
  /// Beside `watched`, which is stopped. Null if there is no memory for it, or the system does not
  /// allow it; that is no fault of the candidate.
  static std::unique_ptr<ControlWorker> start(const TrialScene& scene, const TrialBlocks& blocks,
                                              MeasureMemory& memory, WorkerProcess& watched,
                                              Random& random);

  /// One request without a call. False if it cannot answer any more.
  bool ask_beside(CallSetting setting, TimedCalls::Beside& beside);

  CallSeries& series() { return series_; }

 private:
  ControlWorker(const TrialScene& scene, const TrialBlocks& blocks, WorkerProcess worker,
                Random& random);
  bool open();

  BenchRow row_;  ///< nobody reads what becomes of it
  TrialScene scene_;
  TrialBlocks blocks_;
  WorkerProcess worker_;
  CallMaker maker_;
  CallJudge judge_;
  CallSeries series_;
};

}  // namespace tactus
