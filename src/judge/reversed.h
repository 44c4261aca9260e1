#pragma once

#include "judge/counter_shifts.h"
#include "judge/function_changes.h"
#include "judge/judgement.h"

namespace tactus {

// The same change seen from the other run: what took 2 times as long takes half as long. A run that
// became faster is explained by what made the other one slower.
Ratio reversed(Ratio ratio);
PhaseChange reversed(PhaseChange change);
FunctionChange reversed(FunctionChange change);
CounterShift reversed(CounterShift shift);

}  // namespace tactus
