#include "compare/change.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "stats/tests.h"

namespace tactus {
namespace {

/// Logarithms of the lengths of the usable cycles of a phase, of the process that has most.
std::vector<double> log_lengths(const ComparedRun& side, std::optional<Phase> phase) {
  std::vector<double> longest;
  for (const ProcessCost& process : side.processes) {
    std::vector<double> logs;
    for (const CycleCost& cycle : process.cycles) {
      if (cycle.usable && (!phase || cycle.phase == *phase)) logs.push_back(std::log(cycle.ns));
    }
    if (logs.size() > longest.size()) longest = std::move(logs);
  }
  return longest;
}

std::optional<PhaseChange> change_of_phase(const ComparedRun& normal, const ComparedRun& abnormal,
                                           std::optional<Phase> phase) {
  const std::vector<double> a = log_lengths(normal, phase);
  const std::vector<double> b = log_lengths(abnormal, phase);
  if (a.empty() || b.empty()) return std::nullopt;
  const Shift shift = hodges_lehmann(a, b);
  return PhaseChange{
      .phase = std::string(phase ? phase_name(*phase) : "all"),
      .ratio = std::exp(shift.shift),
      .low = std::exp(shift.low),
      .high = std::exp(shift.high),
      .n = {static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size())}};
}

struct Totals {
  double ns = 0;
  double launches = 0;

  double per_launch() const { return launches > 0 ? ns / launches : 0; }
};

std::vector<Totals> cycle_totals(const ComparedRun& side) {
  std::vector<Totals> totals;
  for (const ProcessCost& process : side.processes) {
    for (const CycleCost& cycle : process.cycles) {
      if (cycle.usable) totals.push_back({cycle.ns, cycle.launches});
    }
  }
  return totals;
}

Totals sum(const std::vector<Totals>& cycles) {
  Totals total;
  for (const Totals& cycle : cycles) {
    total.ns += cycle.ns;
    total.launches += cycle.launches;
  }
  return total;
}

/// The totals of as many cycles, drawn with replacement.
Totals resampled(const std::vector<Totals>& cycles, std::mt19937_64& random) {
  Totals total;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const Totals& cycle = cycles[random() % cycles.size()];
    total.ns += cycle.ns;
    total.launches += cycle.launches;
  }
  return total;
}

}  // namespace

Change change_of_cycles(const ComparedRun& normal, const ComparedRun& abnormal) {
  Change change;
  for (const Phase phase : {Phase::kDecode, Phase::kPrefill, Phase::kMixed, Phase::kUnknown}) {
    if (auto of_phase = change_of_phase(normal, abnormal, phase)) {
      if (phase == Phase::kUnknown) of_phase->phase = "unknown";
      change.by_phase.push_back(std::move(*of_phase));
    }
  }
  if (change.by_phase.empty()) {
    // No phase is in both: all cycles together.
    if (auto all = change_of_phase(normal, abnormal, std::nullopt)) change.by_phase.push_back(*all);
  }
  if (!change.by_phase.empty()) {
    const PhaseChange& first = change.by_phase.front();
    change.ratio = first.ratio;
    change.low = first.low;
    change.high = first.high;
  }
  return change;
}

Change change_per_launch(const ComparedRun& normal, const ComparedRun& abnormal) {
  Change change;
  change.unit = "launch";
  const std::vector<Totals> a = cycle_totals(normal);
  const std::vector<Totals> b = cycle_totals(abnormal);
  const double base = sum(a).per_launch();
  if (base <= 0 || b.empty()) return change;
  change.ratio = sum(b).per_launch() / base;

  constexpr std::size_t kRounds = 1000;
  std::mt19937_64 random(20260101);  // always the same draws, so that the answer does not change
                                     // from run to run
  std::vector<double> ratios;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const double normal_rate = resampled(a, random).per_launch();
    const double abnormal_rate = resampled(b, random).per_launch();
    if (normal_rate > 0) ratios.push_back(abnormal_rate / normal_rate);
  }
  std::sort(ratios.begin(), ratios.end());
  if (!ratios.empty()) {
    change.low = ratios[ratios.size() / 40];
    change.high = ratios[ratios.size() - 1 - ratios.size() / 40];
  }
  change.by_phase.push_back(
      {.phase = "all",
       .ratio = change.ratio,
       .low = change.low,
       .high = change.high,
       .n = {static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size())}});
  return change;
}

}  // namespace tactus
