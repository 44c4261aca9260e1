#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cycles/cycle_selection.h"
#include "cycles/cycles.h"
#include "drill/drill.h"
#include "explain/verdict.h"
#include "measure/counter_values.h"

namespace tactus::drill {
namespace {

/// A load does not begin and end at once: so much at both ends of a window belongs to neither.
constexpr std::int64_t kSettle = 300'000'000;  // [ns]
constexpr double kFelt = 1.05;

struct Window {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;

  bool holds(const Cycle& cycle) const {
    return cycle.start_ns >= from_ns && cycle.start_ns + cycle.dur_ns <= to_ns;
  }
};

/// Cycles of some windows, measured. Both must stay where they are.
struct Part {
  std::unique_ptr<Cycles> cycles;
  std::unique_ptr<Measurement> measurement;
};

Part measure_windows(const Run& run, const Cycles& all, const std::vector<Window>& windows) {
  Part part;
  part.cycles = std::make_unique<Cycles>(all);
  std::vector<bool> is_kept;
  is_kept.reserve(all.cycles.size());
  for (const Cycle& cycle : all.cycles) {
    is_kept.push_back(std::any_of(windows.begin(), windows.end(),
                                  [&](const Window& window) { return window.holds(cycle); }));
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

/// The rests before and after an injection, without what belongs to another one.
std::vector<Window> rests_around(const std::vector<Injected>& injected, std::size_t which,
                                 std::int64_t rest_ns) {
  const Injected& own = injected[which];
  Window before{own.begin_ns - rest_ns, own.begin_ns};
  Window after{own.end_ns + kSettle, own.end_ns + rest_ns};
  for (const Injected& other : injected) {
    if (&other == &own || !other.refused.empty()) continue;
    if (other.end_ns <= own.begin_ns)
      before.from_ns = std::max(before.from_ns, other.end_ns + kSettle);
    if (other.begin_ns >= own.end_ns) after.to_ns = std::min(after.to_ns, other.begin_ns);
  }
  return {before, after};
}

/// The first steps of each rank.
class FirstSteps final : public Measurement {
 public:
  FirstSteps(const Measurement& all, std::size_t count) {
    ranks = all.ranks;
    kind_of_cycle = all.kind_of_cycle;
    cycles_joined = all.cycles_joined;
    is_trace = all.is_trace;
    has_host = all.has_host;
    const auto cut = [&](auto& column) { column.resize(std::min(column.size(), count)); };
    for (RankMeasure& rank : ranks) {
      cut(rank.steps);
      for (std::vector<double>& part : rank.parts) cut(part);
      for (EffortColumns& effort : rank.efforts) {
        cut(effort.count);
        cut(effort.ns);
        cut(effort.bytes);
      }
    }
  }
  FunctionCosts functions(std::size_t) const override { return {}; }

  std::int64_t end_ns() const {
    std::int64_t end = 0;
    for (const RankMeasure& rank : ranks) {
      if (!rank.steps.empty()) end = std::max(end, rank.steps.back().end_ns);
    }
    return end;
  }
};

/// How many steps it took until their interval lay above 1, for growing numbers of steps.
void find_detection(const Measurement& normal, const Measurement& during, DrillRow& row) {
  constexpr std::size_t kFewest = 6;
  for (std::size_t count = kFewest; count <= row.steps; count = count * 5 / 4 + 1) {
    const FirstSteps first(during, count);
    const Judgement judged = judge({&normal}, {&first});
    if (judged.job.empty()) continue;
    const Ratio& ratio = judged.job[judged.headline].typical;
    if (!ratio.low || *ratio.low <= 1) continue;
    row.detected_steps = count;
    row.detected_s = static_cast<double>(first.end_ns() - row.injected.begin_ns) / 1e9;
    return;
  }
}

void compare_windows(const Run& run, const Cycles& all, const std::vector<Window>& rests,
                     const Window& window, DrillRow& row) {
  ComparedSide normal;
  ComparedSide abnormal;
  // Counters are read from the first to the last step of a measurement, so each rest has its own.
  for (const Window& rest : rests) {
    const Part part = measure_windows(run, all, {rest});
    if (steps_of(*part.measurement) == 0) continue;
    add_counters(counter_values(run, *part.measurement), normal.counters);
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
  find_detection(*before.measurement, *during.measurement, row);
  add_counters(counter_values(run, *during.measurement), abnormal.counters);
  normal.recordings.push_back(std::move(before.measurement));
  abnormal.recordings.push_back(std::move(during.measurement));
  const Comparison comparison = compare(normal, abnormal);
  row.named = verdict_class_name(comparison.verdict.verdict);
  row.text = comparison.verdict.text;
  for (const SeenRow& seen : comparison.seen) {
    const std::string name(verdict_class_name(seen.verdict));
    if (std::find(row.seen.begin(), row.seen.end(), name) == row.seen.end()) {
      row.seen.push_back(name);
    }
  }
  if (!comparison.change) return;
  row.ratio = *comparison.change;
  if (std::isfinite(row.ratio.low) && std::isfinite(row.ratio.high)) {
    if (row.ratio.ratio >= kFelt && row.ratio.low > 1) row.slower = Slower::kYes;
    if (row.ratio.high < kFelt) row.slower = Slower::kNo;
  }
  row.grade = grade_of(row.slower, comparison.verdict.verdict, comparison.verdict.reason.empty(),
                       accepted_classes(row.injected.scenario));
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

Result<DrillReport> grade_drill(const Run& run, const std::vector<Injected>& injected,
                                double rest_s) {
  DrillReport report;
  const Result<Cycles> cycles = find_cycles(run, {});
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
      const auto rest_ns = static_cast<std::int64_t>(rest_s * 1e9);
      compare_windows(run, *cycles, rests_around(injected, i, rest_ns),
                      {injected[i].begin_ns + kSettle, injected[i].end_ns}, row);
    }
    report.rows.push_back(std::move(row));
  }
  if (Status status = run.status(); !status) return status.error();
  return report;
}

}  // namespace tactus::drill
