#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/comparison.h"
#include "explain/decision.h"
#include "explain/explanations/explanations.h"
#include "judge/judgement.h"

namespace tactus {

/// A clause with a capital letter and a full stop.
std::string sentence(std::string clause);

/// "decode step"; "step" if the phase is not known, and "step of kind 2" for "unknown 2".
std::string step_words(const std::string& phase);

/// The verdict in one sentence: how much, and why. With one recording on a side it is about these
/// recordings only.
std::string verdict_sentence(const Comparison& comparison, const Decision& decision,
                             bool one_recording_each);

/// "a decode step takes 2.13 times as long (2.05 to 2.20)". Follows the interval: "as long as
/// before" needs one that contains 1 and lies within 5%.
std::string step_change_words(const Change& change);

/// "one step in 3 takes 5.0 times as long as the others"; empty if every step changed alike.
std::string shape_words(const ShapeOfChange& shape);
/// "from step 194 of 319 on"; of the level of a run that a sentence is about.
std::string level_words(const ShapeOfChange& shape, bool of_normal);

/// "gpu_clock 40%, sync_added 35%"
std::string several_words(std::span<const Explanation> explanations);

/// What to look at next. `device` is the model of the GPU; empty if it is not known.
std::vector<NextStep> next_steps(const Comparison& comparison, std::string_view device = {});

}  // namespace tactus
