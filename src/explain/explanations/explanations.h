#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "explain/comparison.h"
#include "explain/explanations/causes.h"
#include "judge/counter_shifts.h"
#include "judge/function_changes.h"
#include "judge/judgement.h"

namespace tactus {

/// A phase of a rank with everything that is known about it.
struct PhaseFacts {
  const RankChange& rank;
  const PhaseChange& phase;
  const std::vector<FunctionChange>& functions;
  const std::vector<CounterShift>& counters;
  bool has_clock = false;                         ///< the GPU's clock was recorded, often enough
  bool has_host = true;                           ///< of both runs
  bool compares_work = true;                      ///< false per launch: counts of calls say nothing
  bool in_units = true;                           ///< counters are in the units of the table
  std::array<std::size_t, 2> job_ranks = {1, 1};  ///< how many ranks run steps, of both jobs
  /// The step became faster, so the sides are exchanged: what is explained is why the normal run is
  /// slower. Only words need to know.
  bool is_reversed = false;

  /// Values of both sides, or a ratio of them, as words have them: normal first.
  template <class T>
  std::array<T, 2> in_order(const std::array<T, 2>& values) const {
    return is_reversed ? std::array<T, 2>{values[1], values[0]} : values;
  }
  double in_order(double ratio) const { return is_reversed ? 1 / ratio : ratio; }
};

/// How much slower kernels are, family by family: the weighted median of their ratios.
struct KernelSpeed {
  double ratio = 1;
  /// Those that moved at least half as far: of their time, or of their number if that is less.
  double share_of_families = 0;
  double share_of_time = 0;  ///< of those
  bool is_clear = false;     ///< its interval is clear of 1
  /// Whether most families, and most of the time, moved by about the same factor. Other work slows
  /// each family by a factor of its own.
  bool is_one_factor = false;
  bool knows_work = true;  ///< tokens or grids say whether the work is the same

  /// Not only most kernels, but nearly all of what takes time: what slows a device slows products,
  /// too. For who has no other sign.
  bool is_of_all() const {
    if (!knows_work && !is_one_factor) return false;
    return is_clear && share_of_families > 0.5 && share_of_time > 2.0 / 3;
  }
};
KernelSpeed kernel_speed(const PhaseFacts& facts);

/// One way to explain a change of a step.
struct Explanation {
  VerdictClass verdict = VerdictClass::kUnknown;
  std::string resource;
  std::string device;
  std::string text;  ///< a clause: "the clock of the CPU fell from 3500 to 900 MHz"
  std::array<double, kParts> predicted_ns{};  ///< change of each part
  bool has_law = false;   ///< the size of the effect was predicted, not taken from the change
  bool is_bound = false;  ///< the law says how large the effect can be, not how large it is
  bool has_signal = false;
  bool is_sure = true;   ///< false: what was not recorded could explain the same
  bool is_felt = false;  ///< what it slows became slower, in this phase
  double felt_ratio = 1;
  double law_ratio = 1;      ///< what the law predicts for the same
  double share = 0;          ///< of the change that it explains
  double could_explain = 1;  ///< the most that other work can be the reason of
  /// Of the device itself: no mood of a host and no change of its code does that.
  bool is_on_device = false;
  std::string felt_words;  ///< "kernels take 1.53 times as long"; empty but for resources

  /// Who gets a part of the change first: what a law says exactly, then what has a signal.
  enum Claim : std::uint8_t { kByLaw, kBySignal, kByNothing };
  Claim claim() const {
    return has_law && !is_bound ? kByLaw : has_signal ? kBySignal : kByNothing;
  }

  /// Its size: at least half of what was felt, where a law predicts it.
  bool fits() const {
    return !has_law || std::abs(std::log(law_ratio)) >= 0.5 * std::abs(std::log(felt_ratio));
  }
};

/// In which direction a change is explained: what made the abnormal run slower, or, with the sides
/// exchanged, what made the normal run slower, which is the reason why the other is faster.
enum class Direction : std::uint8_t { kSlower, kFaster };

/// All explanations that the facts support, without shares.
std::vector<Explanation> find_explanations(const PhaseFacts& facts, Direction direction);

/// The same with their shares: of each part of the change, the explanation whose law predicts most
/// gets that much; of the rest, the one with a signal that predicts most; and what is still left
/// goes to the one without.
std::vector<Explanation> explain_change(const PhaseFacts& facts, Direction direction);

}  // namespace tactus
