#include "explain/comparison_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/explanations/causes.h"
#include "explain/verdict_text.h"
#include "stats/tests.h"

namespace tactus {
namespace {

constexpr std::size_t kMostRows = 40;

RatioRow row_of(const Ratio& ratio) {
  return {.ratio = ratio.ratio, .low = ratio.low.value_or(NAN), .high = ratio.high.value_or(NAN)};
}

/// Without an interval if the two runs may have other mixes of steps.
RatioRow row_of(const Ratio& ratio, const PhaseChange& phase) {
  return phase.has_other_mix() ? RatioRow{.ratio = ratio.ratio} : row_of(ratio);
}

/// What shares of a change are shares of; not-a-number if the step did not change for certain.
double whole_of(const PhaseChange& phase) {
  return phase.is_certain() || phase.mean.excludes_1() ? std::abs(phase.delta_ns()) : NAN;
}

}  // namespace

std::string phase_text(Phase phase) {
  return std::string(phase_name(phase));
}

std::string phase_text(PhaseKind phase) {
  const std::string text = phase_text(phase.phase);
  return phase.kind == 0 ? text : fmt::format("{} {}", text, phase.kind + 1);
}

Change change_of(const Judgement& judgement, bool is_per_launch) {
  Change change;
  const PhaseChange& phase = judgement.job[judgement.headline];
  static_cast<RatioRow&>(change) = row_of(phase.typical, phase);
  change.is_apart = phase.is_apart && !phase.has_other_mix();
  change.phase = phase_text(phase.phase_kind());
  change.unit = is_per_launch ? "launch" : "cycle";
  change.mean = row_of(phase.mean, phase);
  change.step_ns = phase.mean_ns;
  change.tail = phase.tail_share;
  if (phase.tail) change.p99 = RatioRow{phase.tail->ratio, phase.tail->low, phase.tail->high};
  change.shape = shape_name(phase.shape.shape);
  change.shape_text = shape_words(phase.shape);
  change.missing_share = 1;
  change.missing_ranks = judgement.unpaired;
  for (const PhaseChange& one : judgement.job) {
    if (!one.is_of_no_phase) change.missing_share -= one.normal_share;
    PhaseRow row;
    static_cast<RatioRow&>(row) = row_of(one.typical, one);
    row.phase = phase_text(one.phase_kind());
    row.n = {static_cast<std::int64_t>(one.steps[0]), static_cast<std::int64_t>(one.steps[1])};
    row.step_ns = one.mean_ns;
    row.share = one.normal_share;
    row.is_apart = one.is_apart && !one.has_other_mix();
    row.is_same_recording = one.is_same_recording;
    row.pause_ns = one.pause_ns;
    row.mean = row_of(one.mean, one);
    change.by_phase.push_back(std::move(row));
  }
  for (const RankChange& rank : judgement.ranks) {
    for (const PhaseChange& one : rank.phases) {
      RankRow row;
      static_cast<RatioRow&>(row) = row_of(one.typical, one);
      row.rank = rank.rank;
      row.label = rank.label;
      row.phase = phase_text(one.phase_kind());
      row.share = one.normal_share;
      row.is_apart = one.is_apart && !one.has_other_mix();
      row.is_same_recording = one.is_same_recording;
      change.by_rank.push_back(std::move(row));
    }
  }
  return change;
}

std::vector<TimeBreakdownRow> breakdown_rows(const RankChange& rank, PhaseKind headline,
                                             std::span<const FunctionChange> functions) {
  std::vector<double> p_values;
  std::vector<TimeBreakdownRow> rows;
  for (const PhaseChange& phase : rank.phases) {
    const double total = whole_of(phase);
    for (const PartChange& part : phase.parts) {
      TimeBreakdownRow row{.what = std::string(part_name(part.part)),
                           .kind = "part",
                           .phase = phase_text(phase.phase_kind()),
                           .delta_ns_per_cycle = part.delta_ns()};
      row.share = part.delta_ns() / total;
      if (part.before_ns > 0 && part.after_ns > 0) row.ratio = part.after_ns / part.before_ns;
      row.state = part.before_ns == 0 ? "new" : part.after_ns == 0 ? "gone" : "changed";
      p_values.push_back(part.p.value_or(NAN));
      rows.push_back(std::move(row));
    }
  }
  const std::vector<double> q = benjamini_hochberg(p_values);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::isfinite(q[i])) rows[i].q = q[i];
  }
  const PhaseChange* phase = rank.phase(headline);
  const double total = phase == nullptr ? NAN : whole_of(*phase);
  for (const FunctionChange& function : functions.first(std::min(kMostRows, functions.size()))) {
    TimeBreakdownRow row{.what = function.name,
                         .kind = "function",
                         .phase = phase_text(headline),
                         .delta_ns_per_cycle = function.delta_ns(),
                         .share = function.delta_ns() / total,
                         .q = function.q};
    if (function.state == Presence::kChanged) {
      row.ratio = function.ns[0] > 0 ? function.ns[1] / function.ns[0] : NAN;
      row.count_ratio = function.count[1] / function.count[0];
      row.each_ratio = function.each_ratio();
    }
    row.state = function.state == Presence::kNew    ? "new"
                : function.state == Presence::kGone ? "gone"
                                                    : "changed";
    rows.push_back(std::move(row));
  }
  const std::string first = phase_text(headline);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const TimeBreakdownRow& a, const TimeBreakdownRow& b) {
                     const bool a_first = a.phase == first;
                     const bool b_first = b.phase == first;
                     if (a_first != b_first) return a_first;
                     return std::abs(a.delta_ns_per_cycle) > std::abs(b.delta_ns_per_cycle);
                   });
  return rows;
}

namespace {

/// It moved in the direction that slows.
bool does_harm(const CounterShift& shift) {
  const Signal* signal = signal_of(shift.counter);
  return signal != nullptr && (signal->harm == Harm::kUp) == (shift.ratio.ratio > 1);
}

}  // namespace

std::vector<CounterShiftRow> counter_rows(std::span<const CounterShift> shifts, bool in_units,
                                          const Verdict& verdict) {
  // What makes a run faster moves the other way.
  bool harm = true;
  for (const CounterShift& shift : shifts) {
    const bool is_named = shift.counter == verdict.resource && shift.device == verdict.device;
    if (is_named) harm = does_harm(shift);
  }
  std::vector<CounterShiftRow> rows;
  for (const CounterShift& shift : shifts) {
    CounterShiftRow row{.counter = shift.counter,
                        .device = shift.device,
                        .unit = std::string(in_units && shift.fact ? shift.fact->unit : ""),
                        .normal = shift.middle[0],
                        .abnormal = shift.middle[1],
                        .ratio = shift.ratio.ratio,
                        .low = shift.ratio.low.value_or(NAN),
                        .high = shift.ratio.high.value_or(NAN),
                        .q = shift.q,
                        .samples = {static_cast<std::int64_t>(shift.samples[0]),
                                    static_cast<std::int64_t>(shift.samples[1])},
                        .coverage = shift.coverage};
    row.is_cause = verdict.verdict != VerdictClass::kNone && shift.moved() &&
                   class_of_counter(shift.counter) == verdict.verdict && does_harm(shift) == harm;
    rows.push_back(std::move(row));
  }
  std::stable_partition(rows.begin(), rows.end(),
                        [](const CounterShiftRow& row) { return row.is_cause; });
  if (rows.size() > kMostRows) rows.resize(kMostRows);
  return rows;
}

std::vector<double> step_times_ms(const ComparedSide& side) {
  const RankMeasure* most = nullptr;
  for (const auto& recording : side.recordings) {
    for (const RankMeasure& rank : recording->ranks) {
      if (most == nullptr || rank.steps.size() > most->steps.size()) most = &rank;
    }
  }
  std::vector<double> times;
  if (most == nullptr) return times;
  times.reserve(most->steps.size());
  for (const MeasuredStep& step : most->steps) times.push_back(step.ns / 1e6);
  return times;
}

}  // namespace tactus
