#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/comparison.h"
#include "explain/verdict.h"
#include "judge/counter_shifts.h"
#include "judge/function_changes.h"
#include "judge/judgement.h"

namespace tactus {

// The rows of a comparison, from what was judged.

std::string phase_text(Phase phase);
/// The same; of several kinds of unknown steps, the second is "unknown 2".
std::string phase_text(PhaseKind phase);

/// How much changed, in all phases and ranks.
Change change_of(const Judgement& judgement, bool is_per_launch);

/// The parts of all phases of a rank and the functions of one, that phase first.
std::vector<TimeBreakdownRow> breakdown_rows(const RankChange& rank, PhaseKind headline,
                                             std::span<const FunctionChange> functions);

/// The counters that can be the cause first.
/// `in_units`: levels are in the units of the table of counters, as those of traces.
std::vector<CounterShiftRow> counter_rows(std::span<const CounterShift> shifts, bool in_units,
                                          const Verdict& verdict);

/// The steps of the rank with most of them.
std::vector<double> step_times_ms(const ComparedSide& side);

}  // namespace tactus
