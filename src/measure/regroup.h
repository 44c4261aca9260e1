#pragma once

#include <utility>

#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// Tries to make cycles of two kinds comparable: it joins k consecutive cycles of the run with the
/// shorter cycles, so that each group does the work of one cycle of the other run. If kernel names
/// show how a longer cycle begins, k and the beginnings come from them. If kernels outside cycles
/// run after every k cycles, as between the layers of two steps, they come from those. If all
/// cycles begin alike, k is the ratio of launches, which must be a whole number. Returns false and
/// changes nothing if no k fits.
bool regroup(const Run& a, const Run& b, Cycles& of_a, Cycles& of_b);

/// The cycles of two runs to compare: with a common anchor, or regrouped if there is none; else as
/// they were found.
Result<std::pair<Cycles, Cycles>> cycles_to_compare(const Run& a, const Run& b);

}  // namespace tactus
