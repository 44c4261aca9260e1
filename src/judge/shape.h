#pragma once

#include <span>

#include "judge/judgement.h"

namespace tactus {

/// Machines have moods: a level of some steps that is so far from the others is none.
constexpr double kLargeLevel = 1.25;

/// How a change is spread over the steps: logarithms of lengths, in the order of time. The steps of
/// the normal run show what is usual.
ShapeOfChange shape_of_change(std::span<const double> normal, std::span<const double> abnormal);

}  // namespace tactus
