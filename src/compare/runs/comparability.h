#pragma once

#include "compare/comparison.h"
#include "compare/runs/compared_run.h"
#include "compare/thresholds.h"

namespace tactus {

/// Whether a cycle of one side is the same work as a cycle of the other. If not, `aligned_by` says
/// what to compare instead; it is empty if nothing can be compared.
Comparability compare_kinds(const ComparedRun& normal, const ComparedRun& abnormal,
                            const Thresholds& thresholds);

}  // namespace tactus
