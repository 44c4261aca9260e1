#pragma once

#include <vector>

#include "cycles/cycles.h"
#include "measure/measurement.h"
#include "ranks/rank_report.h"

namespace tactus {

/// Operators whose kernels take clearly longer on one rank than on the others, largest first.
/// Collectives are left out: they wait.
std::vector<ImbalanceRow> find_imbalance(const Run& run, const Cycles& cycles,
                                         const Measurement& measurement);

}  // namespace tactus
