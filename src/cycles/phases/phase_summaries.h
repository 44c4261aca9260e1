#pragma once

#include <optional>
#include <vector>

#include "cycles/cycles.h"
#include "stats/summary.h"

namespace tactus {

/// A summary of the whole cycles of a phase.
struct PhaseSummary {
  Phase phase = Phase::kUnknown;
  std::size_t cut = 0;        ///< cycles at an edge of the recording; they count nowhere else here
  DurationSummary durations;  ///< of the whole ones; its count may be 0
  double gpu_busy_share = 0;  ///< of their time
  std::int64_t launches = 0;  ///< median
  std::optional<double> tokens_per_second;  ///< if the tokens of all of them are known
};

/// By phase, those that take most time first; phases without cycles are left out.
std::vector<PhaseSummary> summarise_phases(const Cycles& cycles);

}  // namespace tactus
