#pragma once

#include <vector>

#include "measure/measurement.h"
#include "measure/trace_work.h"

namespace tactus {

/// Ranks that take turns, as the stages of a pipeline do: while one of them computes, the others
/// have nothing to do. What their devices idle then is waiting for other ranks, whatever their
/// hosts did meanwhile. Needs clocks that agree: ranks whose kernels overlap do not take turns.
void split_turns(const std::vector<RankWork>& work, std::vector<RankMeasure>& ranks);

}  // namespace tactus
