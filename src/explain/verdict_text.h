#pragma once

#include <span>
#include <string>
#include <vector>

#include "explain/comparison.h"
#include "explain/explanations.h"
#include "judge/judgement.h"

namespace tactus {

/// A clause with a capital letter and a full stop.
std::string sentence(std::string clause);

/// "decode step"; "step" if the phase is not known, and "step of kind 2" for "unknown 2".
std::string step_words(const std::string& phase);

/// What the sentence of a verdict is about.
struct SentenceAbout {
  bool is_hidden = false;          ///< what the clause says does not show in the step
  bool is_unsure = false;          ///< the ratio says nothing, for the reason of the clause
  bool one_recording_each = true;  ///< so it is about these recordings only
};

/// The verdict in one sentence: how much, and why. `clause` is the reason.
std::string verdict_sentence(const Comparison& comparison, const std::string& clause,
                             const SentenceAbout& about);

/// "one step in 3 takes 5.0 times as long as the others"; empty if every step changed alike.
std::string shape_words(const ShapeOfChange& shape);

/// "gpu_clock 40%, sync_added 35%"
std::string several_words(std::span<const Explanation> explanations);

/// What to look at next.
std::vector<NextStep> next_steps(const Comparison& comparison);

}  // namespace tactus
