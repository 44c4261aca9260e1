#pragma once

#include "compare/compared_run.h"
#include "compare/comparison.h"
#include "compare/thresholds.h"

namespace tactus {

/// Compares two runs: whether they can be compared, how much longer a step takes, where the time
/// went, why, and in one word what changed.
Comparison compare_sides(const Side& normal, const Side& abnormal, const Thresholds& thresholds);

}  // namespace tactus
