#include "compare/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare/change.h"
#include "compare/counter_shifts.h"
#include "compare/findings.h"
#include "compare/rules.h"
#include "compare/runs/comparability.h"
#include "compare/time_breakdown.h"
#include "compare/verdict_text.h"

namespace tactus {
namespace {

constexpr std::size_t kMostRows = 40;

/// Whether a step is certainly longer or shorter, by more than the threshold.
bool step_changed(const Comparison& comparison, const Thresholds& thresholds) {
  if (!comparison.change) return false;
  return comparison.change->low > thresholds.step_changed ||
         comparison.change->high < 1 / thresholds.step_changed;
}

void add_step_times(const ComparedRun& side, std::vector<double>& into) {
  const ProcessCost* most = nullptr;
  for (const ProcessCost& process : side.processes) {
    if (most == nullptr || process.cycles.size() > most->cycles.size()) most = &process;
  }
  if (most == nullptr) return;
  for (const CycleCost& cycle : most->cycles) {
    if (cycle.usable) into.push_back(cycle.ns / 1e6);
  }
}

void add_not_known(const ComparedRun& normal, const ComparedRun& abnormal,
                   std::vector<std::string>& into) {
  if (!normal.has_host || !abnormal.has_host) {
    into.emplace_back(
        "The work of the host was not recorded, so the CPU cannot be ruled out: record CPU "
        "activity too.");
  }
  if (normal.counters.empty() || abnormal.counters.empty()) {
    into.emplace_back(
        "No counters were recorded in both runs, so no resource can be named or ruled out: record "
        "counters too, and put them beside each trace (X.counters.csv beside X.json.gz).");
    return;
  }
  const auto has = [&](std::string_view counter) {
    return std::any_of(normal.counters.begin(), normal.counters.end(),
                       [&](const CounterValues& levels) { return levels.counter == counter; });
  };
  struct Gap {
    std::string_view counter, what;
  };
  constexpr Gap kGaps[] = {{"host_cpu_usage", "load of the host's CPU"},
                           {"cpu_frequency", "clock of the CPU"},
                           {"gpu_sm_frequency", "clock of the GPU"},
                           {"gpu_pcie_transmit", "traffic over PCIe"},
                           {"gpu_link_transmit", "traffic over NVLink"}};
  std::string missing;
  for (const Gap& gap : kGaps) {
    if (!has(gap.counter)) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", gap.what);
  }
  if (!missing.empty())
    into.push_back("Not recorded, so neither named nor ruled out: " + missing + ".");
}

/// Whether samples are so rare that short events may be missed between them.
void add_coverage(const std::vector<CounterShift>& shifts, const Thresholds& thresholds,
                  std::vector<std::string>& into) {
  constexpr std::size_t kNamed = 3;
  std::string named;
  std::size_t sparse = 0;
  for (const CounterShift& shift : shifts) {
    const auto [normal, abnormal] = shift.row.coverage;
    if (!normal || !abnormal || std::min(*normal, *abnormal) >= thresholds.counter_coverage) {
      continue;
    }
    if (++sparse > kNamed) continue;
    named += fmt::format("{}{} ({:.0f}% and {:.0f}%)", named.empty() ? "" : ", ", shift.row.counter,
                         100 * *normal, 100 * *abnormal);
  }
  if (sparse == 0) return;
  into.push_back(
      fmt::format("In at least one run, fewer than {:.0f}% of the cycles have their own sample of "
                  "{}{}: changes shorter than a few cycles do not show there.",
                  100 * thresholds.counter_coverage, named,
                  sparse > kNamed ? fmt::format(" and {} more", sparse - kNamed) : ""));
}

/// Findings in order of priority.
std::vector<Finding> all_findings(const Facts& facts) {
  std::vector<Finding> findings;
  const auto add = [&](std::optional<Finding> finding) {
    if (finding) findings.push_back(std::move(*finding));
  };
  add(find_workload_change(facts));
  add(find_kernel_change(facts));
  add(find_added_sync(facts));
  for (Finding& finding : find_resources(facts)) findings.push_back(std::move(finding));
  return findings;
}

void decide(const Facts& facts, Comparison& comparison) {
  const std::vector<Finding> findings = all_findings(facts);
  Verdict& verdict = comparison.verdict;
  if (!findings.empty()) {
    const Finding& first = findings.front();
    verdict.verdict = first.verdict;
    verdict.resource = first.resource;
    verdict.device = first.device;
    verdict.confidence = first.confidence;
  } else if (step_changed(comparison, facts.thresholds)) {
    verdict.verdict = VerdictClass::kUnknown;
    verdict.confidence = Confidence::kLow;
  } else {
    verdict.verdict = VerdictClass::kNone;
    // "Nothing found" is only as certain as the data that was checked.
    verdict.confidence = comparison.not_known.empty() ? Confidence::kHigh : Confidence::kMedium;
  }
  for (const Finding& finding : findings) {
    comparison.evidence.push_back(sentence(finding.text));
    const bool is_new = finding.verdict != verdict.verdict &&
                        std::find(comparison.also.begin(), comparison.also.end(),
                                  finding.verdict) == comparison.also.end();
    if (is_new) comparison.also.push_back(finding.verdict);
  }
  verdict.text = verdict_sentence(comparison, findings);
}

}  // namespace

Comparison compare_runs(const ComparedRun& normal, const ComparedRun& abnormal,
                        const Thresholds& thresholds) {
  Comparison comparison;
  comparison.comparability = compare_kinds(normal, abnormal, thresholds);
  comparison.comparable = !comparison.comparability.aligned_by.empty();
  add_step_times(normal, comparison.step_ms[0]);
  add_step_times(abnormal, comparison.step_ms[1]);
  add_not_known(normal, abnormal, comparison.not_known);
  const std::vector<CounterShift> shifts = counter_shifts(normal, abnormal, thresholds);
  for (const CounterShift& shift : shifts) {
    if (comparison.counter_shifts.size() < kMostRows)
      comparison.counter_shifts.push_back(shift.row);
  }
  comparison.rules = apply_rules(normal, abnormal, thresholds);
  if (!comparison.comparable) {
    comparison.verdict.verdict = VerdictClass::kNotComparable;
    comparison.verdict.confidence = Confidence::kHigh;
    comparison.verdict.text = verdict_sentence(comparison, {});
    comparison.next = next_steps(comparison);
    return comparison;
  }
  const bool per_launch = comparison.comparability.aligned_by == "per_launch";
  comparison.change =
      per_launch ? change_per_launch(normal, abnormal) : change_of_cycles(normal, abnormal);
  comparison.time_breakdown = where_the_time_went(normal, abnormal, per_launch);
  decide({normal, abnormal, thresholds, comparison, shifts}, comparison);
  add_coverage(shifts, thresholds, comparison.evidence);
  if (comparison.time_breakdown.size() > kMostRows) comparison.time_breakdown.resize(kMostRows);
  comparison.next = next_steps(comparison);
  return comparison;
}

}  // namespace tactus
