#pragma once

#include <vector>

#include "cycles/cycles.h"
#include "measure/measurement.h"
#include "ranks/rank_report.h"

namespace tactus {

/// What the kernels of each operator take in the whole steps of each process. Collectives are left
/// out: they wait.
struct OperatorTimes {
  std::vector<std::string> names;
  std::vector<std::vector<double>> ns;  ///< [operator][process]
};
OperatorTimes operator_times(const Run& run, const Cycles& cycles);

/// Operators whose kernels take clearly longer on one rank than on the others, largest first.
std::vector<ImbalanceRow> find_imbalance(const OperatorTimes& times,
                                         const Measurement& measurement);

}  // namespace tactus
