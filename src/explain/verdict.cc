#include "explain/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/comparability.h"
#include "explain/comparison_rows.h"
#include "explain/counter_windows.h"
#include "explain/decision.h"
#include "explain/not_known.h"
#include "explain/verdict_text.h"
#include "judge/function_changes.h"
#include "judge/shape.h"
#include "measure/time_window.h"

namespace tactus {
namespace {

constexpr std::size_t kMostWindows = 3;  // of counters; the others are weaker signs
constexpr std::size_t kFewestSteps = 6;  // in one

/// Makes the verdict of a pair of sides.
class Judge {
 public:
  Judge(ComparedSide& normal, ComparedSide& abnormal, std::optional<Phase> only)
      : sides_{&normal, &abnormal}, only_(only) {}

  Comparison run() {
    comparison_.comparability = compare_kinds(sides_[0]->side(), sides_[1]->side());
    comparison_.comparable = !comparison_.comparability.aligned_by.empty();
    for (std::size_t side = 0; side < 2; ++side) {
      comparison_.step_ms[side] = step_times_ms(*sides_[side]);
    }
    comparison_.not_known = not_known(*sides_[0], *sides_[1]);
    shifts_ = counter_shifts(sides_[0]->counters, sides_[1]->counters, is_trace());
    if (!comparison_.comparable) {
      set_not_comparable();
    } else {
      compare_steps();
    }
    comparison_.counter_shifts = counter_rows(shifts_, is_trace(), comparison_.verdict);
    if (!is_level_) {  // else the whole run says so
      for (std::string& gap : gaps_of_samples(*sides_[0], *sides_[1], shifts_)) {
        comparison_.evidence.push_back(std::move(gap));
      }
    }
    comparison_.verdict.text =
        !level_text_.empty()
            ? level_text_
            : verdict_sentence(comparison_, decision_, !judgement_.between_recordings);
    comparison_.next = next_steps(comparison_, sides_[1]->device);
    return std::move(comparison_);
  }

 private:
  bool is_trace() const { return sides_[0]->recordings.front()->is_trace; }
  bool is_per_launch() const { return comparison_.comparability.aligned_by == "per_launch"; }

  void set_not_comparable() {
    comparison_.verdict.verdict = VerdictClass::kNotComparable;
    comparison_.verdict.confidence = Confidence::kHigh;
    comparison_.verdict.reason = "not_comparable";
  }

  void compare_steps() {
    if (is_per_launch()) {
      const double launches = median_launches(sides_[0]->side());
      for (ComparedSide* side : sides_) {
        for (const auto& recording : side->recordings) scale_to_launches(launches, *recording);
      }
    }
    judgement_ = judge(sides_[0]->side(), sides_[1]->side(), only_);
    if (judgement_.ranks.empty() && judgement_.unpaired > 0) {
      comparison_.comparable = false;
      comparison_.comparability.aligned_by.clear();
      comparison_.comparability.reasons.emplace_back(
          "The runs have neither a rank nor a device in common, and not as many ranks.");
      set_not_comparable();
      return;
    }
    if (judgement_.job.empty()) {
      comparison_.comparable = false;
      comparison_.comparability.aligned_by.clear();
      comparison_.verdict.verdict = VerdictClass::kUnknown;
      comparison_.verdict.reason = "too_few";
      decision_.clause =
          only_ ? fmt::format("no {} is whole in both runs", step_words(phase_text(*only_)))
                : std::string("no phase has whole steps in both runs");
      comparison_.comparability.reasons.push_back(sentence(decision_.clause));
      return;
    }
    comparison_.change = change_of(judgement_, is_per_launch());
    if (only_) comparison_.change->missing_share = 0;  // asked for
    const PhaseKind what = headline().phase_kind();
    if (std::all_of(judgement_.ranks.begin(), judgement_.ranks.end(),
                    [&](const RankChange& rank) { return rank.phase(what) == nullptr; })) {
      comparison_.verdict.verdict = VerdictClass::kUnknown;
      comparison_.verdict.reason = "no_common_phase";
      decision_.clause = fmt::format("no rank has {}s in both runs, so nothing can be named",
                                     step_words(phase_text(what)));
      return;
    }
    choose_rank();
    explain();
    explain_level();
    explain_window();
    comparison_.time_breakdown =
        breakdown_rows(judgement_.ranks[rank_], headline().phase_kind(), functions_);
  }

  const PhaseChange& headline() const { return judgement_.job[judgement_.headline]; }

  /// The rank that decides: a straggler, else the one whose own work changed most in the headline
  /// phase.
  void choose_rank() {
    rank_ = 0;
    double most = -1;
    for (std::size_t i = 0; i < judgement_.ranks.size(); ++i) {
      const PhaseChange* phase = judgement_.ranks[i].phase(headline().phase_kind());
      if (phase == nullptr || std::abs(phase->own_delta_ns()) <= most) continue;
      most = std::abs(phase->own_delta_ns());
      rank_ = i;
    }
    const std::optional<Straggler>& straggler = judgement_.straggler;
    if (!straggler) return;
    const RankChange& rank = judgement_.ranks[straggler->rank];
    if (straggler->became_one() || straggler->was_one()) {
      straggler_changed_ = true;
      rank_ = straggler->rank;
    } else {
      const auto [before, after] = straggler->own_ratio;
      comparison_.evidence.push_back(
          fmt::format("The own work of {} takes {:.2f} times that of the other ranks in the normal "
                      "run, {:.2f} times in the other run.",
                      rank.label, before, after));
    }
  }

  void explain() {
    const PhaseChange& phase = *judgement_.ranks[rank_].phase(headline().phase_kind());
    functions_ =
        function_changes(sides_[0]->side(), sides_[1]->side(), judgement_.ranks[rank_], phase);
    decision_ = decide({.sides = {sides_[0]->side(), sides_[1]->side()},
                        .has_host = {sides_[0]->recordings.front()->has_host,
                                     sides_[1]->recordings.front()->has_host},
                        .judgement = judgement_,
                        .counters = shifts_,
                        .rank = rank_,
                        .functions = functions_,
                        .is_per_launch = is_per_launch(),
                        .in_units = is_trace(),
                        .all_is_known = comparison_.not_known.empty(),
                        .samples_cover_steps = samples_cover_steps(*sides_[0], *sides_[1])});
    if (straggler_changed_) name_straggler(judgement_.ranks[rank_]);
    if (decision_.rank != rank_) {
      rank_ = decision_.rank;
      functions_.clear();
      if (const PhaseChange* there = judgement_.ranks[rank_].phase(headline().phase_kind())) {
        functions_ =
            function_changes(sides_[0]->side(), sides_[1]->side(), judgement_.ranks[rank_], *there);
      }
    }
    comparison_.verdict = decision_.verdict;
    comparison_.also = decision_.also;
    comparison_.seen = decision_.seen;
    comparison_.evidence.insert(comparison_.evidence.end(), decision_.evidence.begin(),
                                decision_.evidence.end());
  }

  /// A run that does not stay at one level is no sample of anything. The steps at the level that
  /// differs are, so they are compared by themselves.
  void explain_level() {
    const PhaseChange& job = headline();
    const std::size_t side = job.shape.has_levels() ? 1 : 0;
    const ShapeOfChange& shape = side == 1 ? job.shape : job.normal_shape;
    const VerdictClass verdict = comparison_.verdict.verdict;
    // Of a drift it is known that it is there; its end may show why.
    const bool is_unexplained_drift =
        job.shape.shape == ChangeShape::kDrift &&
        (verdict == VerdictClass::kGpuSlower || verdict == VerdictClass::kHostSlower);
    const bool is_open = verdict == VerdictClass::kUnknown || is_unexplained_drift;
    if (is_level_ || !is_open || !shape.has_levels() || sides_[side]->recordings.size() != 1) {
      return;
    }
    const TimeWindow window =
        shape.is_early ? TimeWindow{.end_ns = shape.at_ns} : TimeWindow{.begin_ns = shape.at_ns};
    ComparedSide level = part_of(side, window);
    Judge judge(side == 0 ? level : *sides_[0], side == 1 ? level : *sides_[1], only_);
    judge.is_level_ = true;
    Comparison found = judge.run();
    if (!found.change || found.change->phase != comparison_.change->phase) return;
    if (is_unexplained_drift && class_of_counter(found.verdict.resource) != found.verdict.verdict) {
      return;
    }
    if (!is_fact(found)) {
      // Of the level itself at least the length is known.
      if (found.verdict.felt != FeltAs::kSlower && found.verdict.felt != FeltAs::kFaster) return;
      decision_.clause = fmt::format("{}, {}; {}", step_change_words(*found.change),
                                     level_words(shape, side == 0), decision_.clause);
      return;
    }
    take_over(std::move(found), judge.decision_, level_words(shape, side == 0));
  }

  /// What came and went shows in no mean. While a counter was at a level that the other run never
  /// had, the steps are compared by themselves. The counter says which time that is, and not the
  /// steps, so it is no choice of what looks slow.
  void explain_window() {
    const VerdictClass verdict = comparison_.verdict.verdict;
    const bool is_open = verdict == VerdictClass::kUnknown || verdict == VerdictClass::kGpuSlower ||
                         verdict == VerdictClass::kHostSlower;
    if (is_level_ || !is_open || !level_text_.empty()) return;
    for (const std::size_t side : std::array<std::size_t, 2>{1, 0}) {
      if (sides_[side]->recordings.size() != 1) continue;
      const std::vector<CounterWindow> windows =
          counter_windows(sides_[1 - side]->counters, sides_[side]->counters);
      for (std::size_t i = 0; i < std::min(windows.size(), kMostWindows); ++i) {
        if (explain_window(side, windows[i])) return;
      }
    }
  }

  bool explain_window(std::size_t side, const CounterWindow& there) {
    ComparedSide part = part_of(side, there.window);
    const bool has_steps =
        std::any_of(part.recordings.front()->ranks.begin(), part.recordings.front()->ranks.end(),
                    [](const RankMeasure& rank) { return rank.steps.size() >= kFewestSteps; });
    if (!has_steps) return false;
    Judge judge(side == 0 ? part : *sides_[0], side == 1 ? part : *sides_[1], only_);
    judge.is_level_ = true;
    Comparison found = judge.run();
    const VerdictClass cause = class_of_counter(there.counter);
    if (!found.change || found.verdict.verdict != cause) return false;
    const double begin_s = static_cast<double>(std::max<std::int64_t>(0, there.window.begin_ns));
    take_over(std::move(found), judge.decision_,
              fmt::format("from {:.3g} s to {:.3g} s{}", begin_s * 1e-9,
                          static_cast<double>(there.window.end_ns) * 1e-9,
                          side == 0 ? " of the normal run" : ""));
    return true;
  }

  /// The steps and samples of a window of a side with one recording.
  ComparedSide part_of(std::size_t side, TimeWindow window) const {
    ComparedSide part;
    part.recordings.push_back(steps_in(window, *sides_[side]->recordings.front()));
    for (const CounterValues& values : sides_[side]->counters) {
      CounterValues inside = samples_in(window, values);
      if (!inside.values.empty()) part.counters.push_back(std::move(inside));
    }
    return part;
  }

  /// The verdict about a part of a run is that of the run.
  void take_over(Comparison found, const Decision& decision, std::string when) {
    found.change->shape_text = std::move(when);
    comparison_.verdict = found.verdict;
    comparison_.verdict.confidence = std::max(found.verdict.confidence, Confidence::kMedium);
    comparison_.also = found.also;
    comparison_.seen = found.seen;
    comparison_.evidence = found.evidence;
    level_text_ = verdict_sentence(found, decision, true);
  }

  /// A level may be the mood of a shared machine: where it began was chosen by looking at it. It is
  /// no mood if a counter or the program shows what it was, or if it is far from small.
  static bool is_fact(const Comparison& comparison) {
    const Verdict& verdict = comparison.verdict;
    const double ratio = comparison.change->ratio;
    return class_of_counter(verdict.resource) == verdict.verdict ||
           verdict.verdict == VerdictClass::kKernelsChanged ||
           verdict.verdict == VerdictClass::kSyncAdded ||
           (verdict.verdict == VerdictClass::kGpuSlower &&
            std::max(ratio, 1 / ratio) > kLargeLevel);
  }

  void name_straggler(const RankChange& rank) {
    Verdict& verdict = decision_.verdict;
    const bool is_here = decision_.rank == rank_;
    const auto [before, after] = judgement_.straggler->own_ratio;
    const std::string words =
        fmt::format("its own work takes {:.2f} times that of the other ranks, instead of {:.2f}",
                    after, before);
    decision_.evidence.push_back(sentence(fmt::format("{}, {}", rank.label, words)));
    const bool is_cause = class_of_counter(verdict.resource) == verdict.verdict &&
                          verdict.verdict != VerdictClass::kNone;
    if (is_here || !is_cause) verdict.rank = rank.rank;
    if (is_cause || verdict.reason == "too_few") return;
    verdict.verdict = VerdictClass::kStraggler;
    verdict.confidence = Confidence::kMedium;
    verdict.explains.reset();
    decision_.clause =
        fmt::format("{} is {}, {}{}{}", rank.label,
                    judgement_.straggler->became_one() ? "late" : "not late any more", words,
                    decision_.clause.empty() ? "" : "; ", decision_.clause);
    decision_.joint = Joint::kBecause;
    decision_.rank = rank_;
  }

  std::array<ComparedSide*, 2> sides_;
  std::optional<Phase> only_;
  Comparison comparison_;
  Judgement judgement_;
  std::vector<CounterShift> shifts_;
  std::vector<FunctionChange> functions_;  ///< of the headline phase
  std::size_t rank_ = 0;                   ///< of judgement_.ranks: the one that is explained
  bool straggler_changed_ = false;         ///< a rank became one, or is none any more
  Decision decision_;
  bool is_level_ = false;   ///< one side is only one level of a run
  std::string level_text_;  ///< the sentence, if a level of a run is what it is about
};

}  // namespace

Side ComparedSide::side() const {
  Side side;
  for (const auto& recording : recordings) side.push_back(recording.get());
  return side;
}

Comparison compare(ComparedSide& normal, ComparedSide& abnormal, std::optional<Phase> only) {
  return Judge(normal, abnormal, only).run();
}

}  // namespace tactus
