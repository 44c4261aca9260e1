#pragma once

#include <utility>

#include "compare/thresholds.h"
#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// Tries to make cycles of one kind of cycles of two kinds: k consecutive ones of the run with the
/// shorter cycles are taken together, so that each does the work of one cycle of the other run.
/// Where the names of the kernels tell how a longer cycle begins, k and the beginnings come from
/// them; where kernels of no cycle run after each k of them, as between the layers of two steps,
/// from those; where all begin alike, from the launches, whose ratio has to be a whole number.
/// False, and nothing is changed, where no k fits.
bool regroup(const Run& a, const Run& b, const Thresholds& thresholds, Cycles& of_a, Cycles& of_b);

/// The cycles of two runs that are to be compared: of a common anchor, or regrouped if there is
/// none; else as they were found.
Result<std::pair<Cycles, Cycles>> cycles_to_compare(const Run& a, const Run& b,
                                                    const Thresholds& thresholds);

}  // namespace tactus
