#include "classic/second_opinion/second_opinion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "classic/second_opinion/report_facts.h"
#include "classic/second_opinion/report_remarks.h"
#include "explain/explanations/causes.h"
#include "explain/verdict_text.h"
#include "stats/series.h"

namespace tactus {
namespace {

SeriesMean log_mean(std::vector<double> lengths) {
  for (double& length : lengths) length = std::log(length);
  return mean_of_unordered(lengths);
}

Change change_of(const ClassicReportText& report, const std::array<double, 2>& lengths) {
  Change change;
  change.ratio = lengths[1] / lengths[0];
  change.phase = "unknown";
  const auto& lists = report.cycle_us;
  if (!lists[0].empty() && !lists[1].empty()) {
    const Difference found = difference(log_mean(lists[0]), log_mean(lists[1]));
    change.ratio = std::exp(found.value);
    if (found.low) change.low = std::exp(*found.low);
    if (found.high) change.high = std::exp(*found.high);
  }
  change.mean = change;
  PhaseRow row;
  static_cast<RatioRow&>(row) = change;
  row.phase = change.phase;
  row.n = {report.cycles[0].value_or(0), report.cycles[1].value_or(0)};
  change.by_phase.push_back(std::move(row));
  return change;
}

/// A change too small, or too uncertain, to need a cause.
bool is_no_change(const Change& change) {
  const bool little = change.ratio < 1.05 && change.ratio > 1 / 1.05;
  return little || (change.low <= 1 && change.high >= 1);
}

/// "2.13 times as long"
std::string how_much(const Change& change) {
  const std::string interval = std::isnan(change.low) ? "interval unknown"
                                                      : fmt::format("95% interval {:.2f} to {:.2f}",
                                                                    change.low, change.high);
  return fmt::format("{:.2f} times as long ({})", change.ratio, interval);
}

std::string verdict_clause(const Comparison& comparison, const ReportFacts& facts) {
  const ClassicReportText& report = *facts.report;
  if (facts.kinds == CycleKinds::kDifferent) {
    return fmt::format(
        "Not comparable: the report sets {} of {} against {} of {}, but one of the latter holds {} "
        "the GPU work; for the same work the second run takes about {:.1f} times as long",
        cycles_text(report, 0), time_text((*facts.lengths)[0]), cycles_text(report, 1),
        time_text((*facts.lengths)[1]), part_text(facts.work->ratio), facts.same_work_ratio());
  }
  if (comparison.change) {
    return fmt::format("By this report a cycle takes {}", how_much(*comparison.change));
  }
  if (report.rows.empty() && !facts.lengths) return "The report holds no numbers to judge by";
  return "The report does not show that its cycles are of one kind, so it does not show how much "
         "changed";
}

void fill_verdict(Comparison& comparison, const ReportFacts& facts) {
  Verdict& verdict = comparison.verdict;
  verdict.verdict = VerdictClass::kUnknown;
  for (const ReportedCounter& counter : facts.counters) {
    if (!counter.row.is_cause) break;
    const VerdictClass named = class_of_counter(counter.fact->name);
    const bool is_new = std::none_of(comparison.also.begin(), comparison.also.end(),
                                     [&](const ShareRow& row) { return row.verdict == named; });
    if (is_new) comparison.also.push_back({.verdict = named});
  }
  const ReportedCounter* cause = facts.first_cause();
  std::string text = verdict_clause(comparison, facts);
  if (cause != nullptr) {
    text += fmt::format(", and {} ({} to {} on {}) is the cause to look at", cause->row.counter,
                        level(cause->row.normal), level(cause->row.abnormal), cause->row.device);
  }
  verdict.text = text + ".";
  if (facts.kinds == CycleKinds::kDifferent) {
    verdict.verdict = VerdictClass::kNotComparable;
    verdict.confidence = facts.work->agreeing > 0.8 && facts.work->kernels > 2
                             ? Confidence::kHigh
                             : Confidence::kMedium;
    return;
  }
  if (cause == nullptr) {
    if (comparison.change && is_no_change(*comparison.change)) {
      verdict.verdict = VerdictClass::kNone;
    }
    return;
  }
  verdict.verdict = class_of_counter(cause->fact->name);
  verdict.resource = cause->row.counter;
  verdict.device = cause->row.device;
  const bool firm = comparison.comparable && cause->row.q && !facts.report->cut_off;
  verdict.confidence = firm ? Confidence::kMedium : Confidence::kLow;
  comparison.also.erase(comparison.also.begin());
}

void fill_counter_shifts(Comparison& comparison, const ReportFacts& facts) {
  for (const ReportedCounter& counter : facts.counters) {
    const bool moved = counter.row.ratio > 1.05 || counter.row.ratio < 1 / 1.05;
    if (counter.row.is_cause || moved) comparison.counter_shifts.push_back(counter.row);
  }
}

void fill_next(Comparison& comparison) {
  comparison.next.push_back(
      {.text = "If the perf_data files behind the report are still there, compare them: their "
               "launches show what a cycle holds.",
       .command = "tactus compare FOLDER_WITH_normal_perf_data_AND_abnormal_perf_data"});
  comparison.next.push_back(
      {.text = "Else record both runs again with torch.profiler or nsys, with counters beside the "
               "trace, import them, ...",
       .command = "tactus import normal.json.gz --counters normal.counters.csv -o normal.tact"});
  comparison.next.push_back({.text = "... and compare the recordings.",
                             .command = "tactus compare normal.tact abnormal.tact"});
  // What to look at for the cause; how to record again is said above.
  Comparison causes;
  causes.also = comparison.also;
  causes.verdict.verdict =
      comparison.verdict.resource.empty() ? VerdictClass::kNone : comparison.verdict.verdict;
  for (NextStep& step : next_steps(causes)) comparison.next.push_back(std::move(step));
}

}  // namespace

Comparison second_opinion(const ClassicReportText& report) {
  const ReportFacts facts = facts_of(report);
  Comparison comparison;
  comparison.labels = report.labels;
  comparison.comparable = facts.kinds == CycleKinds::kSame;
  if (comparison.comparable) {
    comparison.change = change_of(report, *facts.lengths);
    comparison.time_breakdown = reported_times(report);
  }
  comparison.comparability.reasons = kinds_remarks(facts);
  fill_counter_shifts(comparison, facts);
  fill_verdict(comparison, facts);
  comparison.evidence = evidence_remarks(facts);
  comparison.not_known = unknown_remarks(facts);
  fill_next(comparison);
  return comparison;
}

}  // namespace tactus
