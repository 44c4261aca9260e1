#pragma once

#include "bench/measure.h"
#include "operators/definition.h"

namespace tactus {

struct TrialTask {
  const OperatorDefinition& definition;
  const Problem& problem;
  const MeasureOptions& options;
  std::uint64_t copied_bytes = 0;  ///< of the copy that it is compared with; 0: none
};

/// Checks and times a candidate. All calls are made in the same way: a place in the worker's memory
/// gets inputs that no call has seen; the worker makes one call; it is stopped, and outputs are
/// read. The worker does not know which calls are checked, timed or judged; for a timed call that
/// is decided after it.
void run_trial(const TrialTask& task, const Candidate& candidate, MeasureMemory& memory,
               BenchRow& row);

}  // namespace tactus
