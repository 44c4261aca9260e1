#pragma once

#include <string>
#include <vector>

#include "judge/judgement.h"

namespace tactus {

enum class Presence : std::uint8_t { kChanged, kNew, kGone };

/// A function in the steps of one phase, per step of the same work.
struct FunctionChange {
  std::string name;
  Part part = Part::kUnknownIdle;
  Presence state = Presence::kChanged;
  std::array<double, 2> ns = {0, 0};      ///< per step
  std::array<double, 2> count = {0, 0};   ///< per step
  std::array<double, 2> steps = {0, 0};   ///< share of the steps that have it
  std::array<double, 2> blocks = {0, 0};  ///< per launch; 0 if they are not known
  std::optional<double> p;
  std::optional<double> q;  ///< all functions considered

  double delta_ns() const { return ns[1] - ns[0]; }
  /// Of the time of one; only for what both runs have.
  double each_ratio() const { return ns[1] / count[1] / (ns[0] / count[0]); }
};

/// The functions of a pair of ranks in one phase, largest change first.
std::vector<FunctionChange> function_changes(const Side& normal, const Side& abnormal,
                                             const RankChange& rank, const PhaseChange& phase);

}  // namespace tactus
