#pragma once

#include "compare/compared_run.h"
#include "compare/comparison.h"
#include "compare/thresholds.h"

namespace tactus {

/// Whether a cycle of one side is the same work as a cycle of the other. If not, `aligned_by` says
/// what to compare instead; it is empty if nothing can be compared.
Comparability compare_kinds(const Side& normal, const Side& abnormal, const Thresholds& thresholds);

}  // namespace tactus
