#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cycles/phases/phase.h"
#include "measure/measurement.h"
#include "stats/series.h"

namespace tactus {

constexpr double kCountsFrom = 0.10;  ///< a phase with less of the time does not decide

/// One side of a comparison: its recordings, usually one.
using Side = std::vector<const Measurement*>;

/// Abnormal over normal, with a 95% interval where one is possible.
struct Ratio {
  double ratio = 1;
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> p;  ///< that nothing changed
  NoInterval reason = NoInterval::kHasOne;

  bool excludes_1() const { return low && high && (*low > 1 || *high < 1); }
  bool lies_within(double share) const {
    return low && high && *low >= 1 - share && *high <= 1 + share;
  }
};

/// How a change is spread over the steps.
enum class ChangeShape : std::uint8_t { kNone, kEvery, kSome, kDrift, kJump };
std::string_view shape_name(ChangeShape shape);
struct ShapeOfChange {
  ChangeShape shape = ChangeShape::kNone;
  double share = 1;  ///< kSome: of the steps
  /// kSome: how much longer those take than the others. kDrift: how much longer the steps of the
  /// last tenth take than the normal ones.
  double factor = 1;
  std::size_t period = 0;  ///< kSome: every so many steps; 0 if there is no rule
  std::size_t at = 0;      ///< kJump: the first step after it; kDrift: of its last third
  std::size_t steps = 0;   ///< of the run
  bool is_early = false;   ///< kJump: the steps before it are the longer ones
  std::int64_t at_ns = 0;  ///< when step `at` began

  bool has_levels() const { return shape == ChangeShape::kJump || shape == ChangeShape::kDrift; }
};

/// A part of the step, per step of the same work.
struct PartChange {
  Part part = Part::kUnknownIdle;
  double before_ns = 0;
  double after_ns = 0;
  std::optional<double> p;
  bool is_apart = false;  ///< all steps of one run lie beyond all of the other, by far
  /// The step changed for certain, and what is beside this did not change by as much, for certain.
  /// What drifts is so much like its neighbours that it has no p of its own.
  bool is_by_rest = false;

  double delta_ns() const { return after_ns - before_ns; }
  /// It changed, and not by chance.
  bool is_clear() const { return (p && *p < 0.05) || is_apart || is_by_rest; }
};

struct EffortChange {
  Effort effort = Effort::kKernels;
  std::array<double, 2> count = {0, 0};  ///< per step
  std::array<double, 2> ns = {0, 0};     ///< per step
  Ratio each;                            ///< time of one
  bool is_apart = false;                 ///< of the time of one
  std::array<double, 2> bytes = {0, 0};  ///< of copies, per step; 0 if not known
  Ratio rate;                            ///< bytes per second of copies; 1 if unknown
  bool has_rate = false;
  bool rate_is_apart = false;
  bool count_is_steady = false;  ///< the same in all steps of a run, in both
  bool count_is_apart = false;   ///< steps of one run have more than those of the other, nearly all

  /// Bytes take longer or shorter, and not by chance.
  bool rate_is_clear() const { return has_rate && (rate.excludes_1() || rate_is_apart); }
};

/// What the steps of a phase work on; medians, absent if not known of all steps.
struct WorkLevels {
  std::array<std::optional<double>, 2> tokens;
  std::array<std::optional<double>, 2> sequences;
  std::array<std::optional<double>, 2> context;
};

/// Steps that are compared with each other: those of a phase, and of one kind if nothing tells
/// their phase.
struct PhaseKind {
  Phase phase = Phase::kUnknown;
  std::uint8_t kind = 0;
  bool operator==(const PhaseKind&) const = default;
};

/// How the steps of one phase changed, compared with steps of the same work.
struct PhaseChange {
  Phase phase = Phase::kUnknown;
  std::uint8_t kind = 0;
  std::array<std::size_t, 2> steps = {0, 0};
  std::array<std::size_t, 2> all_steps = {0, 0};  ///< also those without others of the same work
  Ratio typical;
  Ratio trimmed;  ///< without a tenth of the steps at each end
  Ratio mean;
  std::optional<QuantileRatio> tail;
  double tail_share = 0;  ///< the quantile: the highest that the number of steps allows
  bool is_apart = false;  ///< all steps of one run lie beyond all of the other, by far
  /// All steps of both runs lie within 5% of each other, or are the same ones, so their means do,
  /// with or without an interval.
  bool is_level = false;
  bool is_same_recording = false;
  bool is_of_no_phase = false;  ///< all steps together, since the runs have no phase in common
  bool same_work = true;        ///< false: no step of one run has the work of one of the other
  std::size_t needed = 0;       ///< steps for an interval of 5%; 0 if more steps do not help
  double normal_share = 0;      ///< of the normal run's time
  std::array<double, 2> cut_off = {0, 0};   ///< share of steps left out: a pause hides their end
  std::array<double, 2> pause_ns = {0, 0};  ///< behind a step, of which nothing tells what it was
  std::array<double, 2> mean_ns = {0, 0};
  /// ln of time over ln of tokens within runs; nothing if all steps have the same tokens.
  std::optional<double> growth;
  ShapeOfChange shape;
  ShapeOfChange normal_shape;  ///< of the normal run, if it does not stay at one level
  WorkLevels work;
  std::vector<PartChange> parts;
  /// Kernels that compute, and idle time for the host, each all together: what hits now one family
  /// and now another shows in the sum.
  PartChange kernels;
  PartChange host;
  /// Idle time for the host over the time of a launch, step by step: a machine that is slow slows
  /// both, so this moves only if the code of the host itself did.
  Ratio host_over_launch;
  std::vector<EffortChange> efforts;

  PhaseKind phase_kind() const { return {phase, kind}; }
  const PartChange* part(Part which) const;
  const EffortChange* effort(Effort which) const;
  double delta_ns() const { return mean_ns[1] - mean_ns[0]; }
  /// Without waiting for other ranks, whose change it is.
  double own_delta_ns() const;
  /// Steps before a pause are left out, of one run more than of the other: what is left may be
  /// another mix of steps.
  bool has_other_mix() const { return std::abs(cut_off[1] - cut_off[0]) > 0.05; }
  /// How much more than before the run pauses behind a step, over the step.
  double more_pauses() const { return (pause_ns[1] - pause_ns[0]) / mean_ns[0]; }
  /// The change of the typical step is certain.
  bool is_certain() const { return typical.excludes_1() || is_apart; }
  /// One of the runs has several levels, so that nothing can be said of its steps all together.
  bool has_levels() const {
    return !is_certain() && (shape.has_levels() || normal_shape.has_levels());
  }
};

/// One rank, compared with itself.
struct RankChange {
  std::optional<std::int64_t> rank;
  std::string label;  ///< "rank 1", "process 4711"
  std::string device;
  std::array<std::vector<std::pair<std::size_t, std::size_t>>, 2> members;  ///< recording and rank
  std::vector<PhaseChange> phases;                                          ///< those in both runs

  const PhaseChange* phase(PhaseKind which) const;
};

/// A rank that differs from the other ranks of its own run, in at least one of the two runs.
struct Straggler {
  std::size_t rank = 0;                      ///< of Judgement::ranks
  std::array<double, 2> own_ratio = {1, 1};  ///< its own work over that of the others, in both runs

  int change = 0;  ///< 1: it became one, -1: it is none any more

  bool became_one() const { return change > 0; }
  bool was_one() const { return change < 0; }
};

struct Judgement {
  std::vector<RankChange> ranks;
  std::vector<PhaseChange> job;  ///< of the slowest rank; parts only if there is one rank
  std::size_t headline = 0;      ///< of `job`: the phase whose change costs most
  std::optional<Straggler> straggler;
  std::size_t unpaired = 0;                       ///< ranks that only the normal side has
  std::array<std::size_t, 2> job_ranks = {0, 0};  ///< with steps, of the largest recording
  bool between_recordings = false;  ///< intervals are between recordings: each side has several
  std::array<std::size_t, 2> recordings = {1, 1};
};

/// Compares phase by phase and rank by rank. `only` looks at one phase.
Judgement judge(const Side& normal, const Side& abnormal, std::optional<Phase> only = std::nullopt);

/// The phases of a rank at their calm level (calm_values of stats/series.h): ratios, parts and
/// efforts are those of the steps that the machine did not disturb. They have no tail and no shape.
std::vector<PhaseChange> calm_phases(const Side& normal, const Side& abnormal,
                                     const RankChange& rank);

}  // namespace tactus
