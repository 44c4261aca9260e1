#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cycles/cycle_selection.h"
#include "cycles/cycles.h"
#include "drill/drill.h"
#include "explain/verdict.h"
#include "measure/counter_values.h"
#include "run/tact/tact_file.h"
#include "watch/keep/cut_run.h"

namespace tactus::drill {
namespace {

constexpr double kFelt = 1.05;

bool holds(const TimeSpan& span, const Cycle& cycle) {
  return cycle.start_ns >= span.begin_ns && cycle.start_ns + cycle.dur_ns <= span.end_ns;
}

/// Cycles of some windows, measured. Both must stay where they are.
struct Part {
  std::unique_ptr<Cycles> cycles;
  std::unique_ptr<Measurement> measurement;
};

Part measure_windows(const Run& run, const Cycles& all, const std::vector<TimeSpan>& windows) {
  Part part;
  part.cycles = std::make_unique<Cycles>(all);
  std::vector<bool> is_kept;
  is_kept.reserve(all.cycles.size());
  for (const Cycle& cycle : all.cycles) {
    is_kept.push_back(std::any_of(windows.begin(), windows.end(),
                                  [&](const TimeSpan& window) { return holds(window, cycle); }));
  }
  keep_cycles(is_kept, *part.cycles);
  part.measurement = measure_trace(run, *part.cycles);
  return part;
}

std::size_t steps_of(const Measurement& measurement) {
  std::size_t steps = 0;
  for (const RankMeasure& rank : measurement.ranks) steps += rank.steps.size();
  return steps;
}

void compare_windows(const Run& run, const Cycles& all, const std::vector<TimeSpan>& rests,
                     const TimeSpan& window, DrillRow& row) {
  ComparedSide normal;
  ComparedSide abnormal;
  // Counters are read from the first to the last step of a measurement, so each rest has its own.
  for (const TimeSpan& rest : rests) {
    const Part part = measure_windows(run, all, {rest});
    if (steps_of(*part.measurement) == 0) continue;
    add_counters(counter_values(run, *part.measurement).values, normal.counters);
  }
  Part before = measure_windows(run, all, rests);
  Part during = measure_windows(run, all, {window});
  row.normal_steps = steps_of(*before.measurement);
  row.steps = steps_of(*during.measurement);
  if (row.normal_steps == 0 || row.steps == 0) {
    row.text =
        row.steps == 0 ? "no whole step while it was injected" : "no whole step in the rests";
    return;
  }
  add_counters(counter_values(run, *during.measurement).values, abnormal.counters);
  normal.recordings.push_back(std::move(before.measurement));
  abnormal.recordings.push_back(std::move(during.measurement));
  const Comparison comparison = compare(normal, abnormal);
  row.named = verdict_class_name(comparison.verdict.verdict);
  row.verdict = comparison.verdict.verdict;
  row.was_judged = comparison.verdict.reason.empty();
  row.text = comparison.verdict.text;
  for (const SeenRow& seen : comparison.seen) {
    const std::string name(verdict_class_name(seen.verdict));
    if (std::find(row.seen.begin(), row.seen.end(), name) == row.seen.end()) {
      row.seen.push_back(name);
    }
  }
  if (!comparison.change) return;
  row.ratio = *comparison.change;
  row.mean = comparison.change->mean;
  if (std::isfinite(row.ratio.low) && std::isfinite(row.ratio.high)) {
    row.slower =
        slower_of(wider_of(row.ratio, row.typical_among), wider_of(row.mean, row.mean_among));
    if (row.slower == Slower::kNotJudged && slower_of(row.ratio, row.mean) != Slower::kNotJudged) {
      row.doubt = fmt::format(
          "windows of rests differ by as much from each other; over them it is x{:.2f} ({:.2f} to "
          "{:.2f})",
          row.typical_among.ratio, row.typical_among.low, row.typical_among.high);
    }
  }
  row.grade =
      grade_of(row.slower, row.verdict, row.was_judged, accepted_classes(row.injected.scenario));
}

/// Reads what was recorded around one injection, and no more: a drill is long.
Status grade_one(const std::string& recording, unsigned threads, const Rests& rests,
                 DrillRow& row) {
  const TimeSpan around{rests.before.begin_ns, rests.after.end_ns};
  Result<Run> run = open_run(recording, OpenOptions{.threads = threads, .window = around});
  if (!run) return run.error();
  watch::cut_run(*run, around);
  const Result<Cycles> cycles = find_cycles(*run, {});
  if (!cycles) {
    row.text = "no steps: " + cycles.error().message;
    return run->status();
  }
  compare_windows(*run, *cycles, {rests.before, rests.after},
                  {row.injected.begin_ns + kSettle, row.injected.end_ns}, row);
  return run->status();
}

}  // namespace

std::string_view slower_name(Slower slower) {
  switch (slower) {
    case Slower::kYes: return "yes";
    case Slower::kNo: return "no";
    case Slower::kNotJudged: return "not judged";
  }
  return "not judged";
}

std::string_view grade_name(Grade grade) {
  switch (grade) {
    case Grade::kRight: return "right";
    case Grade::kMissed: return "missed";
    case Grade::kWrong: return "wrong";
    case Grade::kNotJudged: return "not judged";
  }
  return "not judged";
}

std::vector<VerdictClass> accepted_classes(std::string_view scenario) {
  using enum VerdictClass;
  if (scenario == "cpu") return {kCpuContention};
  // Copies through memory keep cores busy, too, and nothing counts bandwidth.
  if (scenario == "memory-bandwidth") return {kHostMemory, kCpuContention};
  if (scenario == "memory") return {kHostMemory, kCpuContention};
  if (scenario == "disk") return {kDisk};
  // There is no link on 127.0.0.1: what it costs is time of the cores.
  if (scenario == "network") return {kNetwork, kCpuContention};
  if (scenario == "stall") return {kHostSlower};
  if (scenario == "gpu-compute" || scenario == "gpu-memory") return {kGpuContention};
  if (scenario == "pcie") return {kPcie};
  if (scenario == "nvlink") return {kNvlink};
  return {};
}

Slower slower_of(const RatioRow& typical, const RatioRow& mean) {
  const auto is_slower = [](const RatioRow& of) { return of.ratio >= kFelt && of.low > 1; };
  const auto is_not = [](const RatioRow& of) { return of.high < kFelt; };
  if (is_slower(typical) || is_slower(mean)) return Slower::kYes;
  // Without an interval of its own, the mean is no reason to doubt the typical step.
  if (is_not(typical) && (is_not(mean) || !std::isfinite(mean.high))) return Slower::kNo;
  return Slower::kNotJudged;
}

Rests rests_around(const std::vector<Injected>& injected, std::size_t which) {
  const Injected& own = injected[which];
  const auto rest_ns = static_cast<std::int64_t>(own.rest_s.value_or(kRest) * 1e9);
  Rests rests{.before = {own.asked_ns - rest_ns, own.asked_ns},
              .after = {own.end_ns + kSettle, own.end_ns + rest_ns}};
  for (const Injected& other : injected) {
    if (&other == &own || !other.refused.empty()) continue;
    if (other.end_ns <= own.begin_ns) {
      rests.before.begin_ns = std::max(rests.before.begin_ns, other.end_ns + kSettle);
    }
    if (other.begin_ns >= own.end_ns) {
      rests.after.end_ns = std::min(rests.after.end_ns, other.asked_ns);
    }
  }
  return rests;
}

Grade grade_of(Slower slower, VerdictClass named, bool was_judged,
               const std::vector<VerdictClass>& accepted) {
  using enum VerdictClass;
  const bool is_right = std::find(accepted.begin(), accepted.end(), named) != accepted.end();
  const bool names_nothing = named == kNone || named == kUnknown || named == kNotComparable;
  if (slower == Slower::kNotJudged) return Grade::kNotJudged;
  if (slower == Slower::kYes) {
    if (is_right) return Grade::kRight;
    return names_nothing ? Grade::kMissed : Grade::kWrong;
  }
  if (is_right || named == kNone) return Grade::kRight;
  if (names_nothing) return was_judged ? Grade::kRight : Grade::kNotJudged;
  return Grade::kWrong;
}

Result<DrillReport> grade_drill(const std::string& recording, std::optional<double> rest_s,
                                unsigned threads) {
  DrillReport report;
  report.recording = recording;
  const Result<Run> run = open_run(recording, threads);
  if (!run) return run.error();
  std::vector<Injected> injected = injected_in(*run);
  for (Injected& one : injected) {
    if (rest_s) one.rest_s = rest_s;
  }
  const Result<Cycles> cycles = find_cycles(*run, {});
  WatchedDrill watched;
  StepWindows windows;
  if (cycles) {
    watched = watch_drill(*run, *cycles, injected);
    windows = step_windows(*cycles, injected);
  }
  const std::vector<double> typical = typical_of(windows.resting);
  const std::vector<double> means = means_of(windows.resting);
  report.resting_windows = typical.size();
  if (typical.size() > 1) {
    // As if one that is in the middle of the others were an injection.
    double middle = 0;
    for (const double level : typical) middle += level / static_cast<double>(typical.size());
    const RatioRow same = among_windows({middle}, typical);
    report.resting = {.low = 1 / same.high, .high = 1 / same.low};
  }
  if (Status status = run->status(); !status) return status.error();
  report.rests = watched.rests;
  for (std::size_t i = 0; i < injected.size(); ++i) {
    DrillRow row;
    row.injected = injected[i];
    for (const VerdictClass accepted : accepted_classes(injected[i].scenario)) {
      row.accepted.emplace_back(verdict_class_name(accepted));
    }
    if (!injected[i].refused.empty()) {
      row.text = injected[i].refused;
    } else if (!cycles) {
      row.text = "no steps: " + cycles.error().message;
    } else {
      row.detection = watched.of[i];
      if (windows.injected[i]) {
        row.typical_among = among_windows({windows.injected[i]->typical}, typical);
        row.mean_among = among_windows({windows.injected[i]->mean}, means);
      }
      const Rests rests = rests_around(injected, i);
      if (Status status = grade_one(recording, threads, rests, row); !status) return status.error();
    }
    report.rows.push_back(std::move(row));
  }
  if (cycles) report.groups = grade_groups(report.rows, windows);
  return report;
}

}  // namespace tactus::drill
