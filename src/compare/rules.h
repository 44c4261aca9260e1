#pragma once

#include <vector>

#include "compare/comparison.h"
#include "compare/runs/compared_run.h"
#include "compare/thresholds.h"

namespace tactus {

/// Root-cause rules on the abnormal run: each says what it looked at, in which unit, on which
/// device. Rules whose counters were not recorded are left out.
std::vector<RuleResult> apply_rules(const ComparedRun& normal, const ComparedRun& abnormal,
                                    const Thresholds& thresholds);

}  // namespace tactus
