#pragma once

#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/results/compare_results.h"
#include "explain/comparison.h"

namespace tactus::cli {

/// What a gate (--fail-on, --fail-under) comes to.
struct GateOutcome {
  int exit_code = 0;   ///< kDone, kGateFailed or kNotJudged
  std::string reason;  ///< why it is not kDone
};

/// Of two gates: one that failed outweighs one that could not be judged.
GateOutcome worse_of(GateOutcome a, GateOutcome b);

/// The PCT of "regression:PCT". A usage error for other gates and other numbers.
Result<double> read_regression_gate(const std::string& text);

/// --fail-on regression:PCT. Looks at every phase with at least 10% of the normal run's time, and
/// at every rank. Failed: one is certainly more than `percent` slower, typically or on average;
/// passed: none certainly is.
GateOutcome judge_regression(const Comparison& comparison, double percent);

/// Every row of a benchmark has to be right; skipped ones do not count.
GateOutcome judge_rows(const BenchResult& result);

/// Not judged if the time limit left rows that were not run; for gates that need all of them.
GateOutcome judge_completeness(const BenchResult& result);

/// --fail-under S: the score, which is the weighted S.
GateOutcome judge_score(const BenchScore& score, double least);

/// --fail-on slower. A row that had a time and is not right any more counts as slower.
GateOutcome judge_slower(const BenchResult& before, const BenchResult& after);

}  // namespace tactus::cli
