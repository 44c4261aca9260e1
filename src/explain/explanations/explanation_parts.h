#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "explain/explanations/explanations.h"

namespace tactus {

// What the files of explanations share.

inline constexpr double kClear = 0.05;      // p and q below this are no chance
inline constexpr double kFelt = 1.02;       // a clear change below this says nothing
inline constexpr double kContention = 1.1;  // kernels, at the clock that they had

inline double before_of(const PhaseChange& phase, Part part) {
  const PartChange* change = phase.part(part);
  return change == nullptr ? 0 : change->before_ns;
}

/// The time of parts before and after, and whether one of them clearly became longer.
struct Sum {
  double before = 0;
  double after = 0;
  bool is_clear = false;

  double ratio() const { return before > 0 ? after / before : after > 0 ? INFINITY : 1; }
};
template <class Wanted>
Sum sum_of(const PhaseChange& phase, Wanted&& wanted) {
  Sum sum;
  std::size_t tests = 0;
  double least = 1;
  bool any_apart = false;
  for (const PartChange& part : phase.parts) {
    if (!wanted(part.part)) continue;
    sum.before += part.before_ns;
    sum.after += part.after_ns;
    ++tests;
    if (part.delta_ns() <= 0) continue;
    if (part.p) least = std::min(least, *part.p);
    any_apart = any_apart || part.is_apart;
  }
  sum.is_clear = any_apart || least * static_cast<double>(tests) < kClear;
  return sum;
}

/// What a part would take if it took `factor` times as long as before.
inline void predict(const PhaseChange& phase, Explanation& explanation, Part part, double factor) {
  explanation.predicted_ns[static_cast<std::size_t>(part)] = before_of(phase, part) * (factor - 1);
}

/// Without a law, the whole change of the part.
inline void take(const PhaseChange& phase, Explanation& explanation, Part part) {
  const PartChange* change = phase.part(part);
  if (change != nullptr) {
    explanation.predicted_ns[static_cast<std::size_t>(part)] = change->delta_ns();
  }
}

inline Part copy_part(Effort copies) {
  return copies == Effort::kCopiesToDevice ? Part::kCopyToDevice : Part::kCopyFromDevice;
}

/// Copies that take `factor` times as long. Those beside kernels are no part of the step, until
/// they take longer than the kernels: all that they take more may show.
inline void predict_copies(const PhaseChange& phase, const EffortChange& copies, double factor,
                           Explanation& explanation) {
  const Part part = copy_part(copies.effort);
  explanation.predicted_ns[static_cast<std::size_t>(part)] =
      std::max(copies.ns[0], before_of(phase, part)) * (factor - 1);
}

/// Kernels that run in each step of one run and never in the other.
struct Replacement {
  std::set<Part> parts;
  const FunctionChange* largest = nullptr;
  std::array<const FunctionChange*, 2> largest_of = {nullptr, nullptr};  ///< by side
  std::array<double, 2> launches = {0, 0};                               ///< per step, of those
};
Replacement find_replacement(const PhaseFacts& facts);

/// How many times as many kernels of a part a step launches, if nearly all steps launch more and no
/// kernel is new or gone; else 1.
double launch_ratio(const PhaseFacts& facts, Part part);
/// A function that both runs launch as often.
bool is_as_often(const FunctionChange& function);

/// How many times as many blocks the kernels have that both runs launch, by their time: their grid
/// follows the work, and nothing else on the machine can change it. 1 if it is not known, or if the
/// number of tokens is.
double grid_ratio(const PhaseFacts& facts);
inline bool grids_differ(double grid_ratio) {
  return std::abs(std::log(grid_ratio)) > std::log(1.05);
}

/// How many times as long other work can make kernels, at most and at least: as many times as there
/// are more tokens, or blocks, and no less than as long as before. {1, 1} if the work is the same.
struct WorkRange {
  double least = 1;
  double most = 1;

  /// What is left of a ratio if work explains as much of it as it can.
  double beyond(double ratio) const {
    return ratio > most ? ratio / most : ratio < least ? ratio / least : 1;
  }
};
/// Of a part; all parts alike but attention, which also has longer sequences to read.
WorkRange work_range(const PhaseFacts& facts, Part part);
/// Tokens or grids say whether the work of both runs is the same.
bool knows_work(const PhaseFacts& facts);
/// Nothing that is known of the work of both runs says how their kernels compare.
bool is_other_work(const PhaseFacts& facts);

inline bool is_attention(Part part) {
  return part == part_of(Family::kAttention) || part == part_of(Family::kAttentionCombine);
}

/// What limits the kernels of a part.
enum class LimitedBy : std::uint8_t { kUnknown, kCompute, kMemory };
LimitedBy limit_of(const PhaseFacts& facts, Part part);

/// Changes of the program and of its work: tokens, lengths, grids, kernels, synchronisation.
void add_program_explanations(const PhaseFacts& facts, std::vector<Explanation>& found);
/// Those of kernels, which they include.
void add_kernel_explanations(const PhaseFacts& facts, std::vector<Explanation>& found);

}  // namespace tactus
