#include "explain/comparability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "measure/kinds/frequencies.h"
#include "measure/renumbered.h"
#include "stats/summary.h"

namespace tactus {
namespace {

// Launches per cycle further apart, or fewer kernels in common, are another kind of cycle.
constexpr double kLaunchesDiffer = 0.10;
constexpr double kSameKind = 0.50;
constexpr double kSameProgram = 0.10;

const RankMeasure* first_rank(const Side& side) {
  for (const Measurement* recording : side) {
    for (const RankMeasure& rank : recording->ranks) {
      if (!rank.steps.empty()) return &rank;
    }
  }
  return nullptr;
}

/// Kernels per cycle by name, whatever number a compiler gave them, of the first rank: the others
/// do the same work.
Frequencies kernels_per_cycle(const Side& side) {
  Frequencies kernels;
  for (const Measurement* recording : side) {
    for (std::size_t rank = 0; rank < recording->ranks.size(); ++rank) {
      const std::size_t steps = recording->ranks[rank].steps.size();
      if (steps == 0) continue;
      const FunctionCosts costs = recording->functions(rank);
      for (const FunctionCost& cost : costs.costs) {
        const MeasuredFunction& function = costs.functions[cost.function];
        if (!is_kernel_part(function.part)) continue;
        kernels[without_number(function.name)] +=
            static_cast<double>(cost.count) / static_cast<double>(steps);
      }
      return kernels;
    }
  }
  return kernels;
}

/// The share of each kernel among all launches.
Frequencies mix(Frequencies kernels) {
  double total = 0;
  for (const auto& [name, count] : kernels) total += count;
  for (auto& [name, count] : kernels) count /= total > 0 ? total : 1;
  return kernels;
}

std::set<Phase> named_phases(const Side& side) {
  std::set<Phase> phases;
  for (const Measurement* recording : side) {
    for (const RankMeasure& rank : recording->ranks) {
      for (const MeasuredStep& step : rank.steps) phases.insert(step.work.phase);
    }
  }
  phases.erase(Phase::kUnknown);
  return phases;
}

bool share_a_phase(const Side& normal, const Side& abnormal) {
  const std::set<Phase> of_normal = named_phases(normal);
  const std::set<Phase> of_abnormal = named_phases(abnormal);
  return std::any_of(of_normal.begin(), of_normal.end(),
                     [&](Phase phase) { return of_abnormal.contains(phase); });
}

/// What ran on the device, and not only what was launched.
bool has_device_times(const Side& side) {
  return std::any_of(side.begin(), side.end(), [](const Measurement* recording) {
    return std::any_of(
        recording->ranks.begin(), recording->ranks.end(), [](const RankMeasure& rank) {
          for (std::size_t part = 0; part < kParts; ++part) {
            const std::vector<double>& ns = rank.parts[part];
            const bool is_any = std::any_of(ns.begin(), ns.end(), [](double x) { return x > 0; });
            if (is_any && is_kernel_part(static_cast<Part>(part))) return true;
          }
          return false;
        });
  });
}

std::size_t rank_count(const Side& side) {
  std::size_t most = 0;
  for (const Measurement* recording : side) {
    most = std::max(most, static_cast<std::size_t>(std::count_if(
                              recording->ranks.begin(), recording->ranks.end(),
                              [](const RankMeasure& rank) { return !rank.steps.empty(); })));
  }
  return most;
}

}  // namespace

double median_launches(const Side& side) {
  std::vector<double> launches;
  for (const Measurement* recording : side) {
    for (const RankMeasure& rank : recording->ranks) {
      for (const MeasuredStep& step : rank.steps) launches.push_back(step.launches);
    }
  }
  return launches.empty() ? 0 : median(std::move(launches));
}

Comparability compare_kinds(const Side& normal, const Side& abnormal) {
  Comparability result;
  const auto say = [&](std::string reason) { result.reasons.push_back(std::move(reason)); };
  const RankMeasure* firsts[2] = {first_rank(normal), first_rank(abnormal)};
  for (std::size_t side = 0; side < 2; ++side) {
    if (firsts[side] != nullptr) {
      result.anchors[side] = firsts[side]->anchor;
      continue;
    }
    say(
        fmt::format("No whole step with GPU work was found in the {} run (tactus cycles shows what "
                    "is found; --anchor NAME there names what marks a step).",
                    side == 0 ? "normal" : "abnormal"));
  }
  result.launches_per_cycle = {median_launches(normal), median_launches(abnormal)};
  const auto [a, b] = result.launches_per_cycle;
  if (a == 0 || b == 0) return result;
  const bool has_device[2] = {has_device_times(normal), has_device_times(abnormal)};
  if (has_device[0] != has_device[1]) {
    say(fmt::format(
        "The {} run has the times of kernels and the {} run has none, only launches: record both "
        "in the same way.",
        has_device[0] ? "normal" : "other", has_device[0] ? "other" : "normal"));
    return result;
  }
  const Frequencies kernels[2] = {kernels_per_cycle(normal), kernels_per_cycle(abnormal)};
  result.kernel_jaccard = jaccard(kernels[0], kernels[1]);
  const bool same_anchor = result.anchors[0] == result.anchors[1];
  const bool same_launches = std::abs(b - a) <= kLaunchesDiffer * std::max(a, b);
  if (!same_anchor) {
    say(fmt::format("The cycles are of different kinds: {} in the normal run, {} in the other.",
                    result.anchors[0], result.anchors[1]));
  }
  if (!same_launches) {
    say(fmt::format("A cycle launches {:.0f} kernels in the normal run and {:.0f} in the other.", a,
                    b));
  }
  if (rank_count(normal) != rank_count(abnormal)) {
    say(fmt::format("The normal run has {} processes, the other {}.", rank_count(normal),
                    rank_count(abnormal)));
  }
  // A step of a trace is a step even if other kernels do the work; without a trace only the kernels
  // can show it. But a pass of so many layers is something that any model has: a phase or some
  // kernels have to be the same.
  const Measurement& of_a = *normal.front();
  const Measurement& of_b = *abnormal.front();
  const bool same_step =
      !of_a.kind_of_cycle.empty() && of_a.kind_of_cycle != "launch" &&
      of_a.kind_of_cycle == of_b.kind_of_cycle &&
      (*result.kernel_jaccard >= kSameProgram || share_a_phase(normal, abnormal));
  const bool same_kind =
      same_step || (same_anchor && same_launches && *result.kernel_jaccard >= kSameKind);
  const std::size_t joined = std::max(of_a.cycles_joined, of_b.cycles_joined);
  if (same_step && joined > 1) {
    result.aligned_by = "regrouped";
    say(
        fmt::format("{} cycles of the {} run hold as much work as one cycle of the other run, and "
                    "are taken together.",
                    joined, of_a.cycles_joined > 1 ? "normal" : "abnormal"));
    return result;
  }
  if (same_kind) {
    result.aligned_by = "anchor";
    return result;
  }
  const double shared = jaccard(mix(kernels[0]), mix(kernels[1]));
  if (shared >= kSameKind) {
    result.aligned_by = "per_launch";
    say(
        fmt::format("Kernel for kernel the work is the same ({:.0f}% in common), so time per "
                    "launch is compared.",
                    100 * shared));
    return result;
  }
  say(fmt::format("The runs have only {:.0f}% of their kernels in common.",
                  100 * *result.kernel_jaccard));
  return result;
}

}  // namespace tactus
