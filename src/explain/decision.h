#pragma once

#include <array>
#include <string>
#include <vector>

#include "explain/comparison.h"
#include "judge/counter_shifts.h"
#include "judge/function_changes.h"
#include "judge/judgement.h"

namespace tactus {

/// Everything that a verdict is decided by.
struct Decidable {
  std::array<Side, 2> sides;
  std::array<bool, 2> has_host = {true, true};  ///< what the host did was recorded
  const Judgement& judgement;
  const std::vector<CounterShift>& counters;
  std::size_t rank = 0;                          ///< of judgement.ranks: the one to explain
  const std::vector<FunctionChange>& functions;  ///< of its headline phase
  bool is_per_launch = false;
  bool in_units = true;             ///< counters are in the units of the table
  bool all_is_known = true;         ///< nothing is missing that could show a change
  bool samples_cover_steps = true;  ///< counters were sampled during nearly all of the steps
};

/// How the reason of a sentence is joined to what the sentence says of the step.
enum class Joint : std::uint8_t {
  kBecause,   ///< it is the reason
  kBut,       ///< it does not show in the step
  kAlthough,  ///< it works against what the step did
};

/// What was decided, without the sentence.
struct Decision {
  Verdict verdict;
  std::string clause;  ///< why, for the sentence
  Joint joint = Joint::kBecause;
  std::string aside;       ///< what a verdict of none is not about
  bool is_unsure = false;  ///< how much the step changed is not known, for the reason of the clause
  std::size_t rank = 0;    ///< of judgement.ranks: the one that the clause is about
  std::vector<std::string> evidence;
  std::vector<ShareRow> also;
  std::vector<SeenRow> seen;
};

/// The only place that decides what changed.
Decision decide(const Decidable& about);

}  // namespace tactus
