#include "explain/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "explain/comparison_rows.h"
#include "explain/explanations/explanations.h"
#include "explain/uncertainty.h"
#include "explain/verdict_text.h"
#include "judge/reversed.h"

namespace tactus {
namespace {

constexpr double kNotice = 0.03;  // a certain change below this is not looked into
constexpr double kEnough = 0.5;   // an explanation has to cover this share of a change
constexpr double kHidden = 1.25;  // a part that the step does not show has to be this much worse

/// What to look for behind the change of the step itself.
enum class Hidden : std::uint8_t { kAll, kResources, kProgram };

bool is_wanted(const Explanation& explanation, Hidden wanted) {
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

/// Whether an explanation may hide behind a step that does not show it.
bool can_hide(const Explanation& explanation, const PhaseChange& phase) {
  if (explanation.verdict == VerdictClass::kKernelsChanged) return explanation.has_signal;
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

/// The step itself, or what a thousand calls of the host took while the step as a whole agrees.
bool is_slower_when_calm(const PhaseChange& phase) {
  const auto is_slower = [](const Ratio& ratio) { return ratio.low && *ratio.low > 1; };
  if (is_slower(phase.typical)) return phase.typical.ratio >= 1 + kNotice;
  if (!phase.typical.low || phase.typical.ratio < 1 + kNotice) return false;
  const EffortChange* launches = phase.effort(Effort::kLaunchCalls);
  return (launches != nullptr && is_slower(launches->each)) || is_slower(phase.host_over_launch);
}

class Decider {
 public:
  explicit Decider(const Decidable& about) : about_(about), judgement_(about.judgement) {
    decision_.rank = about.rank;
  }

  Decision run() {
    const PhaseChange& job = headline();
    const RankChange& rank = judgement_.ranks[about_.rank];
    const PhaseChange& phase = *rank.phase(job.phase_kind());
    Verdict& verdict = decision_.verdict;
    verdict.phase = phase_text(job.phase_kind());
    const bool is_small = job.typical.lies_within(kNotice) && job.mean.lies_within(kNotice);
    const bool has_changed = !is_small && (job.is_certain() || job.mean.excludes_1());
    const bool is_none = first_uncertain(judgement_) == nullptr;
    if (job.is_certain() && !is_small) {
      verdict.felt = job.typical.ratio > 1 ? FeltAs::kSlower : FeltAs::kFaster;
    } else if (is_none || (is_small && !has_uncertain_phase())) {
      verdict.felt = FeltAs::kSame;
    }
    if (!job.typical.low && !job.is_apart && !job.is_same_recording) {
      verdict.reason = job.typical.reason == NoInterval::kTooFew ? "too_few" : "too_noisy";
      decision_.clause = record_more(job);
      if (job.typical.reason == NoInterval::kTooFew) {
        decide_by_hidden_part(Hidden::kAll);
        return std::move(decision_);
      }
    }
    if (job.has_other_mix()) {
      say_that_pauses_hide_it(job);
      return std::move(decision_);
    }
    std::vector<Explanation> explanations;
    if (has_changed) {
      direction_ = (job.is_certain() ? job.typical.ratio : job.mean.ratio) > 1 ? Direction::kSlower
                                                                               : Direction::kFaster;
      // A fault that something else hides is named before what made the step faster.
      const bool is_hidden = direction_ == Direction::kFaster &&
                             decide_by_hidden_part(Hidden::kResources, Direction::kSlower);
      if (!is_hidden) {
        explanations = explain_change(facts_of(rank, phase, about_.functions), direction_);
        decide_by_shares(job, explanations);
      }
    }
    if (!decided_) decide_without_change(job, is_none);
    add_seen(explanations);
    return std::move(decision_);
  }

 private:
  const PhaseChange& headline() const { return judgement_.job[judgement_.headline]; }
  /// A phase with much of the time whose typical step nobody can judge.
  bool has_uncertain_phase() const {
    return std::any_of(judgement_.job.begin(), judgement_.job.end(), [](const PhaseChange& phase) {
      return phase.normal_share >= kCountsFrom && !phase.typical.low && !phase.is_level;
    });
  }

  PhaseFacts facts_of(const RankChange& rank, const PhaseChange& phase,
                      const std::vector<FunctionChange>& functions) const {
    // Two samples of a clock do not say that it stayed.
    const auto can_compare = [&](std::initializer_list<std::string_view> names) {
      return std::any_of(
          about_.counters.begin(), about_.counters.end(), [&](const CounterShift& shift) {
            return shift.can_compare() &&
                   std::find(names.begin(), names.end(), shift.counter) != names.end();
          });
    };
    return {.rank = rank,
            .phase = phase,
            .functions = functions,
            .counters = about_.counters,
            .has_clock = can_compare({"gpu_sm_frequency", "gpu_frequency"}),
            .has_host = about_.has_host[0] && about_.has_host[1],
            .compares_work = !about_.is_per_launch,
            .in_units = about_.in_units,
            .job_ranks = judgement_.job_ranks};
  }

  std::vector<FunctionChange> functions_of(const RankChange& rank, const PhaseChange& phase) const {
    return function_changes(about_.sides[0], about_.sides[1], rank, phase);
  }

  void say_that_pauses_hide_it(const PhaseChange& job) {
    Verdict& verdict = decision_.verdict;
    verdict.felt = FeltAs::kUnknown;
    verdict.reason = "pauses";
    verdict.confidence = Confidence::kLow;
    decision_.clause = why_uncertain(job);
    decision_.is_unsure = true;
  }

  void decide_by_shares(const PhaseChange& job, std::vector<Explanation>& explanations) {
    std::stable_sort(explanations.begin(), explanations.end(),
                     [](const Explanation& a, const Explanation& b) { return a.share > b.share; });
    double together = 0;
    double shown = 0;
    const std::string of_rank = of_other_rank(job);
    for (const Explanation& explanation : explanations) {
      together += explanation.share;
      if (explanation.has_signal) shown += explanation.share;
      if (explanation.share <= 0.1) continue;
      decision_.evidence.push_back(
          sentence(fmt::format("{} (explains {:.0f}% of the change{})", explanation.text,
                               100 * explanation.share, of_rank)));
    }
    const bool is_shown = shown >= kEnough;
    // That the program itself differs is a fact. A step that is slower or faster without any signal
    // may also be the mood of a shared machine. But no program makes all its other kernels slower.
    const bool is_device = !explanations.empty() && explanations.front().share >= kEnough &&
                           explanations.front().is_on_device;
    if (!is_shown && !is_device && decide_by_hidden_part(Hidden::kProgram)) return;
    if (!is_shown && decide_by_calm_steps(true, direction_)) return;
    if (explanations.empty() || together < kEnough) return;
    const Explanation& first = explanations.front();
    for (const Explanation& explanation : explanations) {
      if (explanation.share <= 0.1) continue;
      if (first.share >= kEnough && &explanation == &first) continue;
      decision_.also.push_back({explanation.verdict, explanation.share});
    }
    Verdict& verdict = decision_.verdict;
    if (first.share < kEnough) {
      verdict.verdict = VerdictClass::kSeveral;
      verdict.confidence = Confidence::kMedium;
      verdict.explains = std::min(1.0, together);
      decision_.clause = several_words(explanations);
      decided_ = true;
      return;
    }
    const bool is_by_counter = class_of_counter(first.resource) == first.verdict;
    const bool is_high = first.has_law && first.has_signal && first.is_sure &&
                         (about_.samples_cover_steps || !is_by_counter) && job.typical.low &&
                         first.share >= 0.7;
    take(first, is_high ? Confidence::kHigh : Confidence::kMedium);
    verdict.explains = first.share;
    if (!of_rank.empty()) decision_.clause = of_rank.substr(1) + ", " + decision_.clause;
  }

  /// " of rank 0", if the rank that is explained did not change as the job did.
  std::string of_other_rank(const PhaseChange& job) const {
    const RankChange& rank = judgement_.ranks[about_.rank];
    const double own = rank.phase(job.phase_kind())->typical.ratio;
    const bool is_alike = job.typical.low && own >= *job.typical.low && own <= *job.typical.high;
    return judgement_.ranks.size() < 2 || is_alike ? "" : " of " + rank.label;
  }

  void take(const Explanation& explanation, Confidence confidence) {
    Verdict& verdict = decision_.verdict;
    verdict.verdict = explanation.verdict;
    verdict.resource = explanation.resource;
    verdict.device = explanation.device;
    verdict.confidence = confidence;
    decision_.clause = explanation.text;
    decided_ = true;
  }

  /// The step did not change, or nothing explains its change: a part may still have become worse,
  /// hidden behind something else, in any phase of any rank.
  void decide_without_change(const PhaseChange& job, bool is_none) {
    if (decide_by_hidden_part(Hidden::kAll)) return;
    if (decide_by_calm_steps(false, Direction::kSlower)) return;
    Verdict& verdict = decision_.verdict;
    if (is_none) {
      verdict.verdict = VerdictClass::kNone;
      verdict.felt = FeltAs::kSame;
      verdict.reason.clear();
      // "Nothing found" is only as certain as the data that was checked, and a change may be
      // certain although it is too small to matter.
      const bool all_checked =
          judgement_.unpaired == 0 && (about_.all_is_known || job.is_same_recording);
      decision_.aside = open_tail_words(judgement_);
      if (!decision_.aside.empty()) verdict.reason = "open_tail";  // for scripts
      const bool all_the_same = !job.is_certain() && decision_.aside.empty();
      verdict.confidence = all_checked && all_the_same ? Confidence::kHigh : Confidence::kMedium;
      return;
    }
    verdict.verdict = VerdictClass::kUnknown;
    verdict.confidence = Confidence::kLow;
    const bool is_small = job.typical.lies_within(kSameWithin);
    if (job.is_certain() && !is_small) {
      decision_.clause =
          job.is_of_no_phase
              ? "the runs have no phase in common, so other work is compared"
              : "nothing that was recorded explains it" + where_most_of_it_is(job.phase_kind());
    } else if (verdict.reason.empty()) {
      const PhaseChange& uncertain = *first_uncertain(judgement_);
      verdict.reason = uncertain.more_pauses() > kSameWithin             ? "pauses"
                       : uncertain.typical.reason == NoInterval::kTooFew ? "too_few"
                                                                         : "too_noisy";
      decision_.clause = why_uncertain(uncertain);
      if (verdict.reason != "pauses" && is_about_tail(uncertain)) decision_.joint = Joint::kBut;
    }
  }

  /// "; 81% of it is in gemm", of the part that makes most of a change.
  std::string where_most_of_it_is(PhaseKind kind) const {
    const PhaseChange* phase = judgement_.ranks[about_.rank].phase(kind);
    if (phase == nullptr || phase->delta_ns() == 0) return {};
    const PartChange* most = nullptr;
    for (const PartChange& part : phase->parts) {
      if (most == nullptr || std::abs(part.delta_ns()) > std::abs(most->delta_ns())) most = &part;
    }
    if (most == nullptr || !most->is_clear()) return {};
    const double share = most->delta_ns() / phase->delta_ns();
    if (share < kEnough) return {};
    return fmt::format("; {:.0f}% of it is in {}", 100 * std::min(share, 1.0),
                       part_name(most->part));
  }

  /// Moods of the machine may hide a change of the typical step, or be larger than it. Steps that
  /// were not disturbed are compared with such steps: what they show, if they differ.
  /// `needs_signal`: only what a counter or the program itself shows.
  bool decide_by_calm_steps(bool needs_signal, Direction direction) {
    const RankChange& rank = judgement_.ranks[about_.rank];
    std::optional<Explanation> best;
    PhaseChange where;
    double most = 0;
    for (const PhaseChange& phase : calm_phases(about_.sides[0], about_.sides[1], rank)) {
      // A change of the step itself is not explained by what happened in another phase.
      if (needs_signal && !(phase.phase_kind() == headline().phase_kind())) continue;
      const PhaseChange slower = direction == Direction::kSlower ? phase : reversed(phase);
      const double cost = (slower.typical.ratio - 1) * phase.normal_share;
      if (!is_slower_when_calm(slower) || phase.is_same_recording) continue;
      if (phase.normal_share < kCountsFrom || cost <= most) continue;
      const std::vector<FunctionChange> functions = functions_of(rank, phase);
      for (const Explanation& explanation :
           explain_change(facts_of(rank, phase, functions), direction)) {
        if (explanation.share < kEnough || (needs_signal && !explanation.has_signal)) continue;
        if (best && cost <= most && explanation.share <= best->share) continue;
        best = explanation;
        where = phase;
        most = cost;
      }
    }
    if (!best) return false;
    take(*best, Confidence::kMedium);
    Verdict& verdict = decision_.verdict;
    verdict.phase = phase_text(where.phase_kind());
    if (where.phase_kind() == headline().phase_kind()) verdict.explains = best->share;
    verdict.felt = !where.typical.excludes_1()       ? FeltAs::kUnknown
                   : direction == Direction::kSlower ? FeltAs::kSlower
                                                     : FeltAs::kFaster;
    verdict.reason.clear();
    decision_.clause =
        fmt::format("undisturbed {}steps take {:.2f} times as long ({:.2f} to {:.2f}); {}",
                    where.phase == Phase::kUnknown ? "" : phase_text(where.phase_kind()) + " ",
                    where.typical.ratio, *where.typical.low, *where.typical.high, best->text);
    decision_.evidence.push_back(sentence(decision_.clause));
    return true;
  }

  /// An explanation that the step does not show, and where it holds.
  struct Found {
    Explanation explanation;
    const PhaseChange* phase = nullptr;
    std::size_t rank = 0;
    Direction direction = Direction::kSlower;
    std::size_t ranks_alike = 1;  ///< ranks for which the same holds: if most, it is about none

    /// The better one has a signal; other work brings other kernels with it.
    auto order() const {
      const double ratio = phase->typical.ratio;
      return std::tuple(explanation.has_signal,
                        explanation.verdict == VerdictClass::kWorkloadChanged,
                        direction == Direction::kSlower ? ratio : 1 / ratio);
    }
  };

  /// What became worse; if nothing did, what became better.
  bool decide_by_hidden_part(Hidden wanted) {
    return decide_by_hidden_part(wanted, Direction::kSlower) ||
           decide_by_hidden_part(wanted, Direction::kFaster);
  }

  /// The best explanation behind the change, in any phase of any rank: one with a signal, in the
  /// phase that changed most.
  bool decide_by_hidden_part(Hidden wanted, Direction direction) {
    const std::optional<Found> best = find_hidden(wanted, direction);
    if (!best) return false;
    take(best->explanation, Confidence::kMedium);
    const RankChange& rank = judgement_.ranks[best->rank];
    const PhaseKind where = best->phase->phase_kind();
    Verdict& verdict = decision_.verdict;
    verdict.phase = phase_text(where);
    decision_.rank = best->rank;
    std::string place;
    if (2 * best->ranks_alike <= judgement_.ranks.size()) {
      if (best->rank != about_.rank) verdict.rank = rank.rank;
      if (judgement_.ranks.size() > 1) place = fmt::format("of {}, ", rank.label);
    }
    const bool is_elsewhere = where != headline().phase_kind();
    if (is_elsewhere) place = fmt::format("in a {}, {}", step_words(phase_text(where)), place);
    const std::string& felt = best->explanation.felt_words;
    decision_.clause =
        fmt::format("{}{}{}{}", place, felt, felt.empty() ? "" : ": ", best->explanation.text);
    if (is_elsewhere && best->phase->is_certain() && !best->phase->typical.lies_within(kNotice)) {
      decision_.clause +=
          fmt::format("; such a step takes {:.2f} times as long", best->phase->typical.ratio);
    }
    const bool is_slower = headline().typical.ratio > 1;
    if (headline().is_certain() && is_slower != (direction == Direction::kSlower)) {
      decision_.joint = Joint::kAlthough;
    } else if (!felt.empty() || is_elsewhere) {
      decision_.joint = Joint::kBut;
    }
    decision_.evidence.push_back(sentence(best->explanation.text));
    return true;
  }

  std::optional<Found> find_hidden(Hidden wanted, Direction direction) const {
    constexpr std::size_t kMostRanks = 16;  // functions of very many ranks would take too long
    std::optional<Found> best;
    std::map<VerdictClass, std::set<std::size_t>> ranks_of;
    for (std::size_t i = 0; i < judgement_.ranks.size(); ++i) {
      if (judgement_.ranks.size() > kMostRanks && i != about_.rank) continue;
      const RankChange& rank = judgement_.ranks[i];
      for (const PhaseChange& phase : rank.phases) {
        if (wanted == Hidden::kProgram && phase.normal_share < kCountsFrom) continue;
        const std::vector<FunctionChange> functions = functions_of(rank, phase);
        const PhaseChange slower = direction == Direction::kSlower ? phase : reversed(phase);
        for (Explanation& explanation :
             find_explanations(facts_of(rank, phase, functions), direction)) {
          if (!is_wanted(explanation, wanted) || !can_hide(explanation, slower)) continue;
          ranks_of[explanation.verdict].insert(i);
          Found found{std::move(explanation), &phase, i, direction};
          if (!best || found.order() > best->order()) best = std::move(found);
        }
      }
    }
    if (best) best->ranks_alike = ranks_of[best->explanation.verdict].size();
    return best;
  }

  /// Signals that moved although nothing became worse.
  void add_seen(const std::vector<Explanation>& explanations) {
    std::vector<Explanation> all = explanations;
    if (all.empty()) {
      const RankChange& rank = judgement_.ranks[about_.rank];
      if (const PhaseChange* phase = rank.phase(headline().phase_kind())) {
        all = find_explanations(facts_of(rank, *phase, about_.functions), Direction::kSlower);
      }
    }
    for (const Explanation& explanation : all) {
      const bool is_resource = !explanation.resource.empty() && explanation.has_signal &&
                               class_of_counter(explanation.resource) == explanation.verdict;
      if (!is_resource || explanation.is_felt) continue;
      if (explanation.verdict == decision_.verdict.verdict) continue;
      decision_.seen.push_back({.verdict = explanation.verdict,
                                .resource = explanation.resource,
                                .device = explanation.device,
                                .text = sentence(explanation.text)});
    }
  }

  const Decidable& about_;
  const Judgement& judgement_;
  Decision decision_;
  Direction direction_ = Direction::kSlower;  ///< of the change of the step
  bool decided_ = false;
};

}  // namespace

Decision decide(const Decidable& about) {
  return Decider(about).run();
}

}  // namespace tactus
