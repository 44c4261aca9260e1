#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/verdict.h"
#include "judge/counter_shifts.h"

namespace tactus {

/// What was not recorded, in sentences: nothing is known about it.
std::vector<std::string> not_known(const ComparedSide& normal, const ComparedSide& abnormal);

/// Of what was recorded, which part of the time it does not show: samples that end early, or are so
/// rare that short events may be missed between them.
std::vector<std::string> gaps_of_samples(const ComparedSide& normal, const ComparedSide& abnormal,
                                         std::span<const CounterShift> shifts);

/// The samples of both sides cover nearly all of the steps.
bool samples_cover_steps(const ComparedSide& normal, const ComparedSide& abnormal);

}  // namespace tactus
