#pragma once

#include "compare/comparison.h"
#include "compare/runs/compared_run.h"
#include "compare/thresholds.h"

namespace tactus {

/// Compares two runs: whether they can be compared, how much longer a step takes, where the time
/// went, why, and in one word what changed.
Comparison compare_runs(const ComparedRun& normal, const ComparedRun& abnormal,
                        const Thresholds& thresholds);

}  // namespace tactus
