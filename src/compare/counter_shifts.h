#pragma once

#include "compare/comparison.h"
#include "compare/counters/counter_table.h"
#include "compare/runs/compared_run.h"
#include "compare/thresholds.h"

namespace tactus {

/// A counter that both runs have, and how it moved.
struct CounterShift {
  CounterShiftRow row;
  const CounterFact* fact = nullptr;  ///< null if the counter is not known
  /// How far it moved for certain: the end of the interval nearer to no change, as a logarithm;
  /// 0 if the interval spans no change.
  double bound = 0;
};

/// All counters of both runs, those that are causes first, then by how far they moved for certain.
std::vector<CounterShift> counter_shifts(const ComparedRun& normal, const ComparedRun& abnormal,
                                         const Thresholds& thresholds);

}  // namespace tactus
