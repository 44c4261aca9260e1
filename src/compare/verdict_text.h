#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/findings.h"

namespace tactus {

/// A clause with a capital letter and a full stop.
std::string sentence(std::string clause);

/// The verdict in one sentence: how much, and what for.
std::string verdict_sentence(const Comparison& comparison, std::span<const Finding> findings);

/// What to look at next.
std::vector<NextStep> next_steps(const Comparison& comparison);

}  // namespace tactus
