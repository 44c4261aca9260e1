#pragma once

#include <string>

#include "judge/judgement.h"

namespace tactus {

constexpr double kSameWithin = 0.05;  ///< "none" is claimed within this

/// The first phase that counts and is not certain to take as long as before; null if all do.
const PhaseChange* first_uncertain(const Judgement& judgement);

/// What is not known of the slowest steps of a run that is otherwise as before; empty if nothing.
std::string open_tail_words(const Judgement& judgement);

/// It takes as long as before, but for its slowest steps.
bool is_about_tail(const PhaseChange& phase);

/// Why it is not certain that a phase takes as long as before.
std::string why_uncertain(const PhaseChange& phase);

/// What to record for an interval.
std::string record_more(const PhaseChange& phase);

}  // namespace tactus
