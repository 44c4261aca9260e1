#include "classic/second_opinion/report_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/explanations/causes.h"
#include "stats/summary.h"

namespace tactus {
namespace {

constexpr double kOutlier = 3;  // times the median: a longer cycle is of another kind
constexpr double kHugeZ = 50;

/// How long a run was recorded, from its cycles [us].
std::optional<double> covered(const ReportFacts& facts, std::size_t run) {
  if (!facts.lengths || !facts.report->cycles[run]) return std::nullopt;
  return static_cast<double>(*facts.report->cycles[run]) * (*facts.lengths)[run];
}

/// Cycles that are much longer than the others of their run.
std::optional<std::string> mixture_remark(const ClassicReportText& report, std::size_t run) {
  const std::vector<double>& lengths = report.cycle_us[run];
  if (lengths.empty()) return std::nullopt;
  const double middle = median(lengths);
  const auto longer = std::count_if(lengths.begin(), lengths.end(),
                                    [&](double us) { return us > kOutlier * middle; });
  if (longer == 0) return std::nullopt;
  return fmt::format(
      "{} of the {} cycles of {} take more than {:.0f} times their median: the list mixes cycles "
      "of more than one kind.",
      longer, lengths.size(), report.labels[run], kOutlier);
}

std::string clock_clause(const WorkPerCycle& work) {
  if (!work.by_clock) return "";
  if (std::abs(*work.by_clock - 1) < 0.05) return ", while the GPU's clock stayed the same";
  return fmt::format(", of which the GPU's clock explains x{:.2f}", *work.by_clock);
}

std::string cause_remark(const ReportedCounter& cause) {
  return fmt::format(
      "{} on {} ({}) went from {} to {} (x{:.3g}). It moved in its harmful direction and can be "
      "the "
      "cause.",
      cause.row.counter, cause.row.device, cause.fact->meaning, level(cause.row.normal),
      level(cause.row.abnormal), cause.row.ratio);
}

/// "1 row", "3 rows"; unlike count_of, thousands are not set apart, as the report does not
std::string counted_rows(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "row" : "rows");
}

/// Counters that could be causes but did not move.
std::optional<std::string> cleared_remark(const ReportFacts& facts) {
  std::string names;
  for (const ReportedCounter& counter : facts.counters) {
    const bool could_be = counter.fact != nullptr && signal_of(counter.fact->name) != nullptr;
    if (!could_be || counter.row.is_cause || counter.row.normal == 0) continue;
    names += fmt::format("{}{} on {} (x{:.3g})", names.empty() ? "" : ", ", counter.row.counter,
                         counter.row.device, counter.row.ratio);
  }
  if (names.empty()) return std::nullopt;
  return "Possible causes that moved too little, too uncertainly or not in the harmful "
         "direction: " +
         names + ".";
}

/// What the first row of the report is.
std::optional<std::string> top_row_remark(const ReportFacts& facts) {
  if (facts.report->rows.empty()) return std::nullopt;
  const ClassicRow& top = facts.report->rows.front();
  const auto match = match_counter(top.metric);
  if (!match || signal_of(match->fact->name) != nullptr) return std::nullopt;
  return fmt::format(
      "The row that the report puts first, {} of {}, is a symptom: {}. It follows from what slowed "
      "the program and does not explain it.",
      top.metric, top.function, match->fact->meaning);
}

bool mentions(const ReportFacts& facts, std::string_view counter) {
  return std::any_of(facts.counters.begin(), facts.counters.end(),
                     [&](const ReportedCounter& c) { return c.row.counter == counter; });
}

/// What the numbers of the table cannot prove.
void add_quality_remarks(const ReportFacts& facts, std::vector<std::string>& remarks) {
  const TableQuality quality = table_quality(*facts.report);
  if (facts.report->only_findings || quality.rows == 0) return;
  remarks.push_back(fmt::format(
      "{} p-values of {} rows are below 0.05, uncorrected for their number; the rows repeat {} "
      "readings (one counter of one device), sampled about once a second.",
      quality.small_p, quality.rows, quality.readings));
  if (quality.largest_z > kHugeZ) {
    remarks.push_back(fmt::format(
        "Z-scores of up to {:.0f} are divided by the deviation of the normal run alone: a tiny "
        "deviation, not a large effect.",
        quality.largest_z));
  }
  if (quality.erased > 0) {
    remarks.push_back(
        fmt::format("Z is 0 in {} whose counter moved: the normal run was constant there, which "
                    "makes it better evidence, not none.",
                    counted_rows(quality.erased)));
  }
  if (quality.unmoved_suspects > 0) {
    remarks.push_back(
        fmt::format("There is a high score in {} of counters that did not move; all rows of a "
                    "function share it.",
                    counted_rows(quality.unmoved_suspects)));
  }
}

std::vector<std::string> different_kinds_remarks(const ReportFacts& facts) {
  const ClassicReportText& report = *facts.report;
  const WorkPerCycle& work = *facts.work;
  std::vector<std::string> remarks;
  remarks.push_back(fmt::format(
      "A cycle of {} holds {} the GPU time of a cycle of {} (beta times cycle time; {:.0f}% of "
      "it, in {} kernels, agree on that){}: the cycles are of different kinds, such as a layer and "
      "a "
      "step.",
      report.labels[1], part_text(work.ratio), report.labels[0], 100 * work.agreeing, work.kernels,
      clock_clause(work)));
  const auto normal = covered(facts, 0);
  const auto abnormal = covered(facts, 1);
  if (normal && abnormal && *abnormal > *normal / 1.5 && *abnormal < *normal * 1.5) {
    remarks.push_back(fmt::format(
        "Both runs cover about the same time ({} x {} = {}, {} x {} = {}): {:.3g} times as many "
        "cycles of {} the length are another unit, not another speed.",
        *report.cycles[0], time_text((*facts.lengths)[0]), time_text(*normal), *report.cycles[1],
        time_text((*facts.lengths)[1]), time_text(*abnormal),
        static_cast<double>(*report.cycles[1]) / static_cast<double>(*report.cycles[0]),
        part_text((*facts.lengths)[1] / (*facts.lengths)[0])));
  }
  for (std::size_t run = 0; run < 2; ++run) {
    if (auto remark = mixture_remark(report, run)) remarks.push_back(*std::move(remark));
  }
  return remarks;
}

}  // namespace

const ReportedCounter* ReportFacts::first_cause() const {
  return !counters.empty() && counters.front().row.is_cause ? &counters.front() : nullptr;
}

double ReportFacts::same_work_ratio() const {
  return (*lengths)[1] / (*lengths)[0] / work->ratio;
}

ReportFacts facts_of(const ClassicReportText& report) {
  ReportFacts facts{.report = &report,
                    .lengths = cycle_lengths(report),
                    .work = work_per_cycle(report),
                    .counters = reported_counters(report)};
  facts.kinds = judge_kinds(facts.lengths, facts.work);
  return facts;
}

std::string level(double value) {
  const double size = std::abs(value);
  return size >= 1e4 && size < 1e7 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string time_text(double us) {
  if (us >= 1e6) return fmt::format("{:.3g} s", us / 1e6);
  return us >= 1e3 ? fmt::format("{:.3g} ms", us / 1e3) : fmt::format("{:.3g} us", us);
}

std::string part_text(double ratio) {
  if (ratio < 1) return fmt::format("1/{:.0f} of", 1 / ratio);
  return fmt::format("{:.1f} times", ratio);
}

std::string cycles_text(const ClassicReportText& report, std::size_t run) {
  if (!report.cycles[run]) return "cycles";
  return fmt::format("{} {}", *report.cycles[run], *report.cycles[run] == 1 ? "cycle" : "cycles");
}

std::vector<std::string> kinds_remarks(const ReportFacts& facts) {
  if (facts.kinds == CycleKinds::kDifferent) return different_kinds_remarks(facts);
  if (!facts.lengths) {
    return {
        "The report has no cycle times (a .csv never has; the .md does), so it is not known "
        "whether cycles are of one kind."};
  }
  if (!facts.work) {
    return {"No kernel is in both runs, so it is not known whether cycles hold the same work."};
  }
  return {fmt::format("A cycle of the second run holds {:.2f} times the GPU time{}: {}.",
                      facts.work->ratio, clock_clause(*facts.work),
                      facts.kinds == CycleKinds::kSame
                          ? "the same kind of cycle"
                          : "either cycles hold more work, or another program slows the kernels")};
}

std::vector<std::string> evidence_remarks(const ReportFacts& facts) {
  std::vector<std::string> remarks;
  if (facts.kinds == CycleKinds::kDifferent) {
    remarks.push_back(fmt::format(
        "For the same GPU work the second run takes about {:.1f} times as long (cycle time x{:.3g} "
        "over GPU work x{:.3g}); this is an estimate from rounded shares.",
        facts.same_work_ratio(), (*facts.lengths)[1] / (*facts.lengths)[0], facts.work->ratio));
    remarks.push_back(
        fmt::format("The report's change of {:+.2f}% and every percentage in it compare unlike "
                    "cycles and mean nothing.",
                    100 * ((*facts.lengths)[1] / (*facts.lengths)[0] - 1)));
  }
  for (const ReportedCounter& counter : facts.counters) {
    if (counter.row.is_cause) remarks.push_back(cause_remark(counter));
  }
  if (auto remark = cleared_remark(facts)) remarks.push_back(*std::move(remark));
  if (auto remark = top_row_remark(facts)) remarks.push_back(*std::move(remark));
  if (mentions(facts, "process_cpu_usage")) {
    remarks.emplace_back(
        "process_cpu_usage is an average over the life of the process: it drifts by itself.");
  }
  const std::vector<ClassicRow>& rows = facts.report->rows;
  if (std::any_of(rows.begin(), rows.end(),
                  [](const ClassicRow& row) { return is_collective(row.function); })) {
    remarks.emplace_back(
        "A collective waits for the slowest rank: its time in one process says who waited, not "
        "what "
        "it cost.");
  }
  if (!rows.empty()) {
    remarks.emplace_back(
        "beta is a share of the cycle: when a cycle gets longer, beta of everything that did not "
        "change falls.");
  }
  add_quality_remarks(facts, remarks);
  return remarks;
}

std::vector<std::string> unknown_remarks(const ReportFacts& facts) {
  const ClassicReportText& report = *facts.report;
  std::vector<std::string> remarks = {
      "What marks a cycle, and how many launches it holds: the report does not say.",
      "How many cycles had a sample of a counter: the report does not say, so no interval can be "
      "given for counters."};
  if (report.only_findings) {
    remarks.emplace_back(
        "The detailed table could not be read; only the counters that its findings list are known, "
        "without p-values.");
  } else if (report.rows.empty()) {
    remarks.emplace_back("There is no detailed table, so no cause can be named or ruled out.");
  }
  if (report.unreadable_rows > 0) {
    remarks.push_back(fmt::format("Of the detailed table, {} cut off or damaged.",
                                  report.unreadable_rows == 1
                                      ? "1 row is"
                                      : fmt::format("{} rows are", report.unreadable_rows)));
  }
  if (report.cut_off) {
    remarks.emplace_back("The report ends early; the rest of it is not known.");
  }
  if (report.more_reports) {
    remarks.emplace_back("Another report follows in the text; only the first was read.");
  }
  if (!mentions(facts, "cpu_temp") && !mentions(facts, "gpu_temp")) {
    remarks.emplace_back("Temperatures and power limits: the report has no counters of them.");
  }
  return remarks;
}

}  // namespace tactus
