#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cycles/phases/phase.h"
#include "explain/comparison.h"
#include "judge/counter_shifts.h"
#include "judge/judgement.h"

namespace tactus {

/// One side of a comparison: its recordings, and the counters of all of them.
struct ComparedSide {
  std::vector<std::unique_ptr<Measurement>> recordings;
  CounterSide counters;
  std::vector<SampleRange> ranges;  ///< of the counters of each recording; traces only
  std::string device;               ///< its model; empty if unknown

  Side side() const;
};

/// Compares two sides: whether they can be compared, how much longer a step takes, where the time
/// went, why, and in one word what changed. The only place that decides a verdict. Steps are scaled
/// if they can be compared per launch only. `only` looks at one phase.
Comparison compare(ComparedSide& normal, ComparedSide& abnormal,
                   std::optional<Phase> only = std::nullopt);

}  // namespace tactus
