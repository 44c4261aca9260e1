#include "cli/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/command.h"
#include "explain/verdict_text.h"
#include "judge/judgement.h"

namespace tactus::cli {
namespace {

constexpr double kLargestRegression = 10'000;  // [percent]; beyond, it would never fail

GateOutcome not_judged(const std::string& why) {
  return {kNotJudged, "--fail-on regression cannot be judged: " + why};
}

/// One phase of the job or of a rank.
GateOutcome judge_step(const RatioRow& typical, const RatioRow& mean, bool is_apart,
                       const std::string& name, const std::string& too_few, double percent) {
  const double limit = 1 + percent / 100;
  for (const RatioRow* row : {&typical, &mean}) {
    if (!(row->low > limit)) continue;
    return {kGateFailed,
            fmt::format("--fail-on regression: a {} takes {:.3f} to {:.3f} times as long{}, more "
                        "than {:.3f}",
                        name, row->low, row->high, row == &mean ? " on average" : "", limit)};
  }
  if (!std::isfinite(typical.low) || !std::isfinite(typical.high)) {
    if (is_apart && typical.ratio > limit) {
      return {kGateFailed, fmt::format("--fail-on regression: every {} takes longer than any of "
                                       "the normal run, {:.3f} times as long",
                                       name, typical.ratio)};
    }
    return not_judged(too_few);
  }
  if (typical.high <= limit) return {};
  return not_judged(
      fmt::format("a {} takes {:.3f} to {:.3f} times as long, and the limit of {:.3f} lies between",
                  name, typical.low, typical.high, limit));
}

bool has_failed(BenchStatus status) {
  return status != BenchStatus::kOk && status != BenchStatus::kSkipped;
}

std::string row_name(const BenchRow& row) {
  return row.operator_name + " " + row.shape_id;
}

}  // namespace

GateOutcome worse_of(GateOutcome a, GateOutcome b) {
  const auto rank = [](const GateOutcome& gate) {
    return gate.exit_code == kGateFailed ? 2 : gate.exit_code == kNotJudged ? 1 : 0;
  };
  return rank(b) > rank(a) ? std::move(b) : std::move(a);
}

Result<double> read_regression_gate(const std::string& text) {
  constexpr std::string_view kGate = "regression:";
  const std::string option = "--fail-on " + text;
  if (!text.starts_with(kGate)) {
    return usage_error(option + ": write regression:PCT, e.g. regression:5");
  }
  return read_option_number(option, std::string_view(text).substr(kGate.size()), 0,
                            kLargestRegression);
}

GateOutcome judge_regression(const Comparison& comparison, double percent) {
  if (!comparison.comparable || !comparison.change) {
    const std::vector<std::string>& reasons = comparison.comparability.reasons;
    return not_judged("the runs are not comparable" +
                      (reasons.empty() ? "" : ": " + reasons.back()));
  }
  const Change& change = *comparison.change;
  constexpr double kAll = 0.999;
  if (change.missing_share > kAll) return not_judged("the runs have no phase in common");
  GateOutcome worst;
  bool judged = false;
  for (const PhaseRow& phase : change.by_phase) {
    if (phase.share < kCountsFrom) continue;
    judged = true;
    if (phase.is_same_recording) continue;
    const std::string name = change.unit == "launch" ? change.unit : step_words(phase.phase);
    worst =
        worse_of(std::move(worst),
                 judge_step(phase, phase.mean, phase.is_apart, name,
                            fmt::format("a {} has no interval: {} and {} are too few or too noisy",
                                        name, phase.n[0], phase.n[1]),
                            percent));
  }
  for (const PhaseRow& phase : change.by_phase) {
    const double more = phase.pause_ns[1] - phase.pause_ns[0];
    if (phase.share < kCountsFrom || !(more > percent / 100 * phase.step_ns[0])) continue;
    worst = worse_of(std::move(worst),
                     not_judged(fmt::format("behind a {} the run pauses for {:.3g} ms instead of "
                                            "{:.3g} ms, and nothing tells why",
                                            step_words(phase.phase), phase.pause_ns[1] / 1e6,
                                            phase.pause_ns[0] / 1e6)));
  }
  for (const RankRow& rank : change.by_rank) {
    if (change.by_rank.size() == change.by_phase.size() || rank.share < kCountsFrom) continue;
    if (rank.is_same_recording) continue;
    const std::string name = step_words(rank.phase) + " of " + rank.label;
    worst = worse_of(std::move(worst),
                     judge_step(rank, RatioRow{}, rank.is_apart, name,
                                "the steps of " + rank.label + " are too few", percent));
  }
  if (!judged) return not_judged("no phase that is in both runs takes 10% of the time");
  if (change.missing_share >= kCountsFrom) {
    worst = worse_of(std::move(worst),
                     not_judged(fmt::format("{:.0f}% of the normal run's time is in phases that "
                                            "the other run does not have",
                                            100 * change.missing_share)));
  }
  if (change.missing_ranks > 0) {
    worst = worse_of(std::move(worst),
                     not_judged(fmt::format("the other run lacks {} of the normal run's ranks",
                                            change.missing_ranks)));
  }
  return worst;
}

GateOutcome judge_rows(const BenchResult& result) {
  const auto failed = std::find_if(result.rows.begin(), result.rows.end(),
                                   [](const BenchRow& row) { return has_failed(row.status); });
  if (failed == result.rows.end()) return {};
  const auto count = std::count_if(failed, result.rows.end(),
                                   [](const BenchRow& row) { return has_failed(row.status); });
  return {kGateFailed,
          fmt::format("{} of {} rows failed; the first is {}: {}", count, result.rows.size(),
                      row_name(*failed), bench_status_name(failed->status))};
}

GateOutcome judge_completeness(const BenchResult& result) {
  const auto missing =
      std::count_if(result.rows.begin(), result.rows.end(), [](const BenchRow& row) {
        return row.status == BenchStatus::kSkipped && row.reason == kOutOfTime;
      });
  if (missing == 0) return {};
  return {kNotJudged,
          fmt::format("--fail-under cannot be judged: {} of {} rows were not run within the time "
                      "limit",
                      missing, result.rows.size())};
}

GateOutcome judge_score(const BenchScore& score, double least) {
  if (!score.weighted_s) {
    return {kNotJudged, "--fail-under cannot be judged: nothing was timed, so there is no score"};
  }
  if (*score.weighted_s >= least) return {};
  return {kGateFailed, fmt::format("--fail-under: the score (weighted S) {:.4f} is below {:.4f}",
                                   *score.weighted_s, least)};
}

GateOutcome judge_slower(const BenchResult& before, const BenchResult& after) {
  std::set<std::pair<std::string, std::string>> timed;
  for (const BenchRow& row : before.rows) {
    if (row.status == BenchStatus::kOk && row.t_ns) timed.insert({row.operator_name, row.shape_id});
  }
  for (const BenchRow& row : after.rows) {
    if (!has_failed(row.status) || !timed.contains({row.operator_name, row.shape_id})) continue;
    return {kGateFailed, fmt::format("--fail-on slower: {} had a time before and is {} now",
                                     row_name(row), bench_status_name(row.status))};
  }
  const std::vector<BenchPair> pairs = compare_results(before, after);
  const auto has = [](Outcome outcome) {
    return [outcome](const BenchPair& pair) { return pair.outcome == outcome; };
  };
  const auto slower = std::find_if(pairs.begin(), pairs.end(), has(Outcome::kSlower));
  if (slower != pairs.end()) {
    const auto count = std::count_if(pairs.begin(), pairs.end(), has(Outcome::kSlower));
    return {kGateFailed, fmt::format("--fail-on slower: {} of {} rows are slower; the first is {}",
                                     count, pairs.size(), row_name(*slower->after))};
  }
  if (std::all_of(pairs.begin(), pairs.end(), has(Outcome::kAmbiguous))) {
    return {kNotJudged, pairs.empty()
                            ? "--fail-on slower cannot be judged: no row has a time in both results"
                            : "--fail-on slower cannot be judged: every row is AMBIGUOUS"};
  }
  return {};
}

}  // namespace tactus::cli
