#include "explain/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "explain/comparability.h"
#include "explain/comparison_rows.h"
#include "explain/explanations.h"
#include "explain/uncertainty.h"
#include "explain/verdict_text.h"
#include "judge/function_changes.h"
#include "stats/tests.h"

namespace tactus {
namespace {

constexpr double kNotice = 0.03;  // a certain change below this is not looked into
constexpr double kEnough = 0.5;   // an explanation has to cover this share of a change
constexpr double kHidden = 1.25;  // a part that the step does not show has to be this much worse

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
    comparison_.counter_shifts = counter_rows(shifts_, is_trace(), comparison_.verdict.verdict);
    if (std::optional<std::string> remark = coverage_remark(shifts_)) {
      comparison_.evidence.push_back(*std::move(remark));
    }
    comparison_.verdict.text = verdict_sentence(comparison_, clause_,
                                                {.is_hidden = is_hidden_,
                                                 .is_unsure = is_unsure_,
                                                 .one_recording_each = is_one_recording_each()});
    comparison_.next = next_steps(comparison_);
    return std::move(comparison_);
  }

 private:
  bool is_trace() const { return sides_[0]->recordings.front()->is_trace; }
  bool is_per_launch() const { return comparison_.comparability.aligned_by == "per_launch"; }
  bool is_one_recording_each() const { return !judgement_.between_recordings; }

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
      comparison_.verdict.verdict = VerdictClass::kUnknown;
      comparison_.verdict.reason = "too_few";
      clause_ = "no phase has whole steps in both runs";
      return;
    }
    comparison_.change = change_of(judgement_, is_per_launch());
    if (only_) comparison_.change->missing_share = 0;  // asked for
    choose_rank();
    explain();
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
      comparison_.evidence.push_back(
          fmt::format("{} takes {:.2f} times as long as the other ranks for its own work, in both "
                      "runs.",
                      rank.label, straggler->own_ratio[1]));
    }
  }

  PhaseFacts facts_of(const RankChange& rank, const PhaseChange& phase,
                      const std::vector<FunctionChange>& functions) const {
    // Two samples of a clock do not say that it stayed.
    const auto can_compare = [&](std::initializer_list<std::string_view> names) {
      return std::any_of(shifts_.begin(), shifts_.end(), [&](const CounterShift& shift) {
        return (shift.ratio.p || shift.is_apart) &&
               std::find(names.begin(), names.end(), shift.counter) != names.end();
      });
    };
    return {.rank = rank,
            .phase = phase,
            .functions = functions,
            .counters = shifts_,
            .has_clock = can_compare({"gpu_sm_frequency", "gpu_frequency"}),
            .has_host =
                sides_[0]->recordings.front()->has_host && sides_[1]->recordings.front()->has_host,
            .compares_work = !is_per_launch(),
            .in_units = is_trace()};
  }

  void explain() {
    const PhaseChange& job = headline();
    const RankChange& rank = judgement_.ranks[rank_];
    const PhaseChange* phase = rank.phase(job.phase_kind());
    if (phase == nullptr) phase = &rank.phases.front();
    functions_ = function_changes(sides_[0]->side(), sides_[1]->side(), rank, *phase);
    Verdict& verdict = comparison_.verdict;
    verdict.phase = phase_text(job.phase_kind());
    const PhaseFacts facts = facts_of(rank, *phase, functions_);
    const bool is_small = job.typical.lies_within(kNotice) && job.mean.lies_within(kNotice);
    const bool has_changed = !is_small && (job.is_certain() || job.mean.excludes_1());
    const bool is_none = first_uncertain(judgement_) == nullptr;
    int direction = 0;
    if (has_changed) {
      direction = (job.is_certain() ? job.typical.ratio : job.mean.ratio) > 1 ? 1 : -1;
    }
    if (job.is_certain() && !is_small) {
      verdict.felt = job.typical.ratio > 1 ? FeltAs::kSlower : FeltAs::kFaster;
    } else if (is_none || is_small) {
      verdict.felt = FeltAs::kSame;
    }
    if (!job.typical.low && !job.is_apart && !job.is_same_recording) {
      verdict.reason = job.typical.reason == NoInterval::kTooFew ? "too_few" : "too_noisy";
      clause_ = record_more(job);
      if (job.typical.reason == NoInterval::kTooFew) {
        decide_by_hidden_part(Hidden::kAll);
        return;
      }
    }
    if (job.has_other_mix()) {
      verdict.felt = FeltAs::kUnknown;
      verdict.reason = "pauses";
      verdict.confidence = Confidence::kLow;
      clause_ = why_uncertain(job);
      is_unsure_ = true;
      return;
    }
    std::vector<Explanation> explanations;
    // A fault that something else hides is named before what made the step faster.
    if (direction < 0 && decide_by_hidden_part(Hidden::kResources)) direction = 0;
    if (direction != 0) {
      explanations = direction > 0 ? explain_slower(facts) : explain_faster(facts);
      decide_by_shares(job, explanations);
    }
    if (verdict.verdict == VerdictClass::kUnknown && !decided_) decide_without_change(job, is_none);
    add_seen(explanations);
    if (straggler_changed_) name_straggler(rank);
  }

  void decide_by_shares(const PhaseChange& job, std::vector<Explanation>& explanations) {
    std::stable_sort(explanations.begin(), explanations.end(),
                     [](const Explanation& a, const Explanation& b) { return a.share > b.share; });
    for (const Explanation& explanation : explanations) {
      if (explanation.share > 0.1) {
        comparison_.evidence.push_back(sentence(fmt::format(
            "{} (explains {:.0f}% of the change)", explanation.text, 100 * explanation.share)));
      }
    }
    double together = 0;
    for (const Explanation& explanation : explanations) together += explanation.share;
    Verdict& verdict = comparison_.verdict;
    double shown = 0;
    for (const Explanation& explanation : explanations) {
      if (explanation.has_signal) shown += explanation.share;
    }
    const bool is_shown = shown >= kEnough;
    // That the program itself differs is a fact. A step that is slower or faster without any signal
    // may also be the mood of a shared machine. But no program makes all its other kernels slower.
    const bool is_device = !explanations.empty() && explanations.front().share >= kEnough &&
                           explanations.front().verdict == VerdictClass::kGpuSlower;
    if (!is_shown && !is_device && decide_by_hidden_part(Hidden::kProgram)) return;
    if (!is_shown && decide_by_calm_steps(true)) return;
    if (explanations.empty() || together < kEnough) return;
    const Explanation& first = explanations.front();
    if (first.share < kEnough) {
      verdict.verdict = VerdictClass::kSeveral;
      verdict.confidence = Confidence::kMedium;
      verdict.explains = std::min(1.0, together);
      clause_ = several_words(explanations);
      decided_ = true;
      for (const Explanation& explanation : explanations) {
        if (explanation.share > 0.1) {
          comparison_.also.push_back({explanation.verdict, explanation.share});
        }
      }
      return;
    }
    const bool is_high =
        first.has_law && first.has_signal && first.is_sure && job.typical.low && first.share >= 0.7;
    take(first, is_high ? Confidence::kHigh : Confidence::kMedium);
    verdict.explains = first.share;
    for (const Explanation& explanation : explanations) {
      if (&explanation != &first && explanation.share > 0.1) {
        comparison_.also.push_back({explanation.verdict, explanation.share});
      }
    }
  }

  void take(const Explanation& explanation, Confidence confidence) {
    Verdict& verdict = comparison_.verdict;
    verdict.verdict = explanation.verdict;
    verdict.resource = explanation.resource;
    verdict.device = explanation.device;
    verdict.confidence = confidence;
    clause_ = explanation.text;
    decided_ = true;
  }

  /// The step did not change, or nothing explains its change: a part may still have become worse,
  /// hidden behind something else, in any phase of any rank.
  void decide_without_change(const PhaseChange& job, bool is_none) {
    if (decide_by_hidden_part(Hidden::kAll)) return;
    if (decide_by_calm_steps(false)) return;
    Verdict& verdict = comparison_.verdict;
    if (is_none) {
      verdict.verdict = VerdictClass::kNone;
      verdict.felt = FeltAs::kSame;
      verdict.reason.clear();
      // "Nothing found" is only as certain as the data that was checked, and a change may be
      // certain although it is too small to matter.
      const bool all_checked = comparison_.not_known.empty() || job.is_same_recording;
      verdict.confidence =
          all_checked && !job.is_certain() ? Confidence::kHigh : Confidence::kMedium;
      return;
    }
    verdict.verdict = VerdictClass::kUnknown;
    verdict.confidence = Confidence::kLow;
    const bool is_small = job.typical.lies_within(kSameWithin);
    if (job.is_certain() && !is_small) {
      clause_ = job.is_of_no_phase ? "the runs have no phase in common, so other work is compared"
                                   : "nothing that was recorded explains it";
    } else if (verdict.reason.empty()) {
      const PhaseChange& uncertain = *first_uncertain(judgement_);
      verdict.reason = uncertain.more_pauses() > kSameWithin ? "pauses" : "too_noisy";
      clause_ = why_uncertain(uncertain);
    }
  }

  /// The step itself, or what a thousand calls of the host took while the step as a whole agrees.
  static bool is_slower_when_calm(const PhaseChange& phase) {
    const auto is_slower = [](const Ratio& ratio) { return ratio.low && *ratio.low > 1; };
    if (is_slower(phase.typical)) return !phase.typical.lies_within(kNotice);
    if (!phase.typical.low || phase.typical.ratio < 1 + kNotice) return false;
    const EffortChange* launches = phase.effort(Effort::kLaunchCalls);
    return (launches != nullptr && is_slower(launches->each)) || is_slower(phase.host_over_launch);
  }

  /// Moods of the machine may hide a change of the typical step, or be larger than it. Steps that
  /// were not disturbed are compared with such steps: what they show, if it became slower.
  /// `needs_signal`: only what a counter or the program itself shows.
  bool decide_by_calm_steps(bool needs_signal) {
    const RankChange& rank = judgement_.ranks[rank_];
    std::optional<Explanation> best;
    PhaseChange where;
    double most = 0;
    for (const PhaseChange& phase : calm_phases(sides_[0]->side(), sides_[1]->side(), rank)) {
      const double cost = (phase.typical.ratio - 1) * phase.normal_share;
      if (!is_slower_when_calm(phase) || phase.is_same_recording) continue;
      if (phase.normal_share < kCountsFrom || cost <= most) continue;
      const std::vector<FunctionChange> functions =
          function_changes(sides_[0]->side(), sides_[1]->side(), rank, phase);
      for (const Explanation& explanation : explain_slower(facts_of(rank, phase, functions))) {
        if (explanation.share < kEnough || (needs_signal && !explanation.has_signal)) continue;
        if (best && cost <= most && explanation.share <= best->share) continue;
        best = explanation;
        where = phase;
        most = cost;
      }
    }
    if (!best) return false;
    take(*best, Confidence::kMedium);
    Verdict& verdict = comparison_.verdict;
    verdict.phase = phase_text(where.phase_kind());
    verdict.explains = best->share;
    verdict.felt = FeltAs::kSlower;
    verdict.reason.clear();
    if (!(*where.typical.low > 1)) verdict.felt = FeltAs::kUnknown;
    clause_ =
        fmt::format("undisturbed {}steps take {:.2f} times as long ({:.2f} to {:.2f}); {}",
                    where.phase == Phase::kUnknown ? "" : phase_text(where.phase_kind()) + " ",
                    where.typical.ratio, *where.typical.low, *where.typical.high, best->text);
    comparison_.evidence.push_back(sentence(clause_));
    return true;
  }

  /// What to look for behind the change of the step itself.
  enum class Hidden : std::uint8_t { kAll, kResources, kProgram };

  /// The best explanation behind the change, in any phase of any rank: one with a signal, in the
  /// phase that became most slower.
  bool decide_by_hidden_part(Hidden wanted) {
    constexpr std::size_t kMostRanks = 16;  // functions of very many ranks would take too long
    std::optional<Explanation> best;
    const PhaseChange* where = nullptr;
    for (std::size_t i = 0; i < judgement_.ranks.size(); ++i) {
      if (judgement_.ranks.size() > kMostRanks && i != rank_) continue;
      const RankChange& rank = judgement_.ranks[i];
      for (const PhaseChange& phase : rank.phases) {
        if (wanted == Hidden::kProgram && phase.normal_share < kCountsFrom) continue;
        const std::vector<FunctionChange> functions =
            function_changes(sides_[0]->side(), sides_[1]->side(), rank, phase);
        for (const Explanation& explanation : find_explanations(facts_of(rank, phase, functions))) {
          if (!is_wanted(explanation, wanted) || !is_hidden(explanation, phase)) continue;
          const auto order = [](const Explanation& of, const PhaseChange& in) {
            // Other work brings other kernels with it.
            return std::tuple(of.has_signal, of.verdict == VerdictClass::kWorkloadChanged,
                              in.typical.ratio);
          };
          if (best && order(explanation, phase) <= order(*best, *where)) continue;
          best = explanation;
          where = &phase;
        }
      }
    }
    if (!best) return false;
    take(*best, Confidence::kMedium);
    comparison_.verdict.phase = phase_text(where->phase_kind());
    if (!best->slowed.empty()) {
      clause_ = fmt::format("{} take {:.2f} times as long: {}", best->slowed, best->felt_ratio,
                            best->text);
      is_hidden_ = true;
    }
    if (where->phase_kind() != headline().phase_kind()) {
      clause_ += fmt::format("; a {} takes {:.2f} times as long",
                             step_words(phase_text(where->phase_kind())), where->typical.ratio);
    }
    comparison_.evidence.push_back(sentence(best->text));
    return true;
  }

  static bool is_wanted(const Explanation& explanation, Hidden wanted) {
    switch (wanted) {
      case Hidden::kAll: return true;
      case Hidden::kResources: return class_of_counter(explanation.resource) == explanation.verdict;
      case Hidden::kProgram:
        return explanation.verdict == VerdictClass::kKernelsChanged ||
               explanation.verdict == VerdictClass::kSyncAdded ||
               explanation.verdict == VerdictClass::kWorkloadChanged;
    }
    return false;
  }

  static bool is_hidden(const Explanation& explanation, const PhaseChange& phase) {
    if (explanation.verdict == VerdictClass::kKernelsChanged) return true;
    if (explanation.verdict == VerdictClass::kSyncAdded) return true;
    // Without a signal, and without an effect on the step, it is not worth a sentence.
    if (explanation.verdict == VerdictClass::kHostSlower) return false;
    if (explanation.verdict == VerdictClass::kGpuSlower) return false;
    if (explanation.verdict == VerdictClass::kWorkloadChanged) {
      // A certain change that is larger than the work can make it has another reason.
      return explanation.has_signal && !phase.same_work &&
             (explanation.could_explain >= kEnough || !phase.is_certain()) &&
             std::min(phase.all_steps[0], phase.all_steps[1]) >= 3;
    }
    return explanation.is_felt && explanation.felt_ratio >= kHidden && explanation.fits();
  }

  /// Signals that moved although nothing became worse.
  void add_seen(const std::vector<Explanation>& explanations) {
    std::vector<Explanation> all = explanations;
    if (all.empty()) {
      const RankChange& rank = judgement_.ranks[rank_];
      const PhaseChange* phase = rank.phase(headline().phase_kind());
      if (phase != nullptr) all = find_explanations(facts_of(rank, *phase, functions_));
    }
    for (const Explanation& explanation : all) {
      const bool is_resource = !explanation.resource.empty() && explanation.has_signal &&
                               class_of_counter(explanation.resource) == explanation.verdict;
      if (!is_resource || explanation.is_felt) continue;
      if (explanation.verdict == comparison_.verdict.verdict) continue;
      comparison_.seen.push_back({.verdict = explanation.verdict,
                                  .resource = explanation.resource,
                                  .device = explanation.device,
                                  .text = sentence(explanation.text)});
    }
  }

  void name_straggler(const RankChange& rank) {
    Verdict& verdict = comparison_.verdict;
    verdict.rank = rank.rank;
    const auto [before, after] = judgement_.straggler->own_ratio;
    const std::string words =
        fmt::format("its own work takes {:.2f} times that of the other ranks, instead of {:.2f}",
                    after, before);
    comparison_.evidence.push_back(sentence(fmt::format("{}, {}", rank.label, words)));
    const bool is_cause = class_of_counter(verdict.resource) == verdict.verdict &&
                          verdict.verdict != VerdictClass::kNone;
    if (is_cause || verdict.reason == "too_few") return;
    verdict.verdict = VerdictClass::kStraggler;
    verdict.confidence = Confidence::kMedium;
    verdict.explains.reset();
    clause_ = fmt::format("{} is {}, {}{}{}", rank.label,
                          judgement_.straggler->became_one() ? "late" : "not late any more", words,
                          clause_.empty() ? "" : "; ", clause_);
  }

  std::array<ComparedSide*, 2> sides_;
  std::optional<Phase> only_;
  Comparison comparison_;
  Judgement judgement_;
  std::vector<CounterShift> shifts_;
  std::vector<FunctionChange> functions_;  ///< of the headline phase
  std::size_t rank_ = 0;                   ///< of judgement_.ranks: the one that is explained
  bool straggler_changed_ = false;         ///< a rank became one, or is none any more
  bool decided_ = false;
  bool is_unsure_ = false;  ///< how much the step changed
  bool is_hidden_ = false;  ///< what became slower does not show in the step
  std::string clause_;      ///< why, for the sentence
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
