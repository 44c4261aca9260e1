#include "compare/runs/comparability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tactus {
namespace {

std::string anchor_of(const ComparedRun& side) {
  return side.processes.empty() ? std::string() : side.processes.front().anchor;
}

/// The share of each kernel among all launches.
Frequencies mix(Frequencies kernels) {
  double total = 0;
  for (const auto& [name, count] : kernels) total += count;
  for (auto& [name, count] : kernels) count /= total > 0 ? total : 1;
  return kernels;
}

std::size_t usable_cycles(const ComparedRun& side) {
  std::size_t count = 0;
  for (const ProcessCost& process : side.processes) {
    for (const CycleCost& cycle : process.cycles) count += cycle.usable ? 1 : 0;
  }
  return count;
}

}  // namespace

Comparability compare_kinds(const ComparedRun& normal, const ComparedRun& abnormal,
                            const Thresholds& thresholds) {
  Comparability result;
  result.anchors = {anchor_of(normal), anchor_of(abnormal)};
  result.launches_per_cycle = {median_launches(normal), median_launches(abnormal)};
  const auto [a, b] = result.launches_per_cycle;
  const auto say = [&](std::string reason) { result.reasons.push_back(std::move(reason)); };

  for (const ComparedRun* side : {&normal, &abnormal}) {
    if (usable_cycles(*side) == 0) {
      say(fmt::format("The {} run has no complete cycle with GPU work.",
                      side == &normal ? "normal" : "abnormal"));
    }
  }
  if (a == 0 || b == 0) return result;

  const Frequencies kernels[2] = {kernels_per_cycle(normal, {}), kernels_per_cycle(abnormal, {})};
  result.kernel_jaccard = jaccard(kernels[0], kernels[1]);
  const bool same_anchor = result.anchors[0] == result.anchors[1];
  const bool same_launches = std::abs(b - a) <= thresholds.launches_differ * std::max(a, b);
  if (!same_anchor) {
    say(fmt::format("The cycles are of different kinds: {} in the normal run, {} in the other.",
                    result.anchors[0], result.anchors[1]));
  }
  if (!same_launches) {
    say(fmt::format("A cycle launches {:.0f} kernels in the normal run and {:.0f} in the other.", a,
                    b));
  }
  if (normal.processes.size() != abnormal.processes.size()) {
    say(fmt::format("The normal run has {} processes, the other {}.", normal.processes.size(),
                    abnormal.processes.size()));
  }
  // A step of a trace is a step even if other kernels do the work; without a trace only the kernels
  // can show it.
  const bool same_step = !normal.kind_of_cycle.empty() && normal.kind_of_cycle != "launch" &&
                         normal.kind_of_cycle == abnormal.kind_of_cycle;
  const bool same_kind = same_step || (same_anchor && same_launches &&
                                       *result.kernel_jaccard >= thresholds.jaccard_same_kind);
  const std::size_t joined = std::max(normal.cycles_joined, abnormal.cycles_joined);
  if (same_step && joined > 1) {
    result.aligned_by = "regrouped";
    say(
        fmt::format("{} cycles of the {} run hold as much work as one cycle of the other run, and "
                    "are taken together.",
                    joined, normal.cycles_joined > 1 ? "normal" : "abnormal"));
    return result;
  }
  if (same_kind) {
    result.aligned_by = "anchor";
    return result;
  }
  const double shared = jaccard(mix(kernels[0]), mix(kernels[1]));
  if (shared >= thresholds.jaccard_same_kind) {
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
