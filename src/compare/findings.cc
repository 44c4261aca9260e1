#include "compare/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare/where.h"
#include "stats/tests.h"

namespace tactus {
namespace {

bool differs(double a, double b, double share) {
  return std::abs(b - a) > share * std::max(std::abs(a), std::abs(b));
}

/// The phase that steps are compared by: decode where both have it.
std::optional<Phase> main_phase(const Facts& facts) {
  for (const Phase phase : {Phase::kDecode, Phase::kPrefill, Phase::kMixed}) {
    const std::string name(phase_name(phase));
    if (!facts.comparison.change) return std::nullopt;
    for (const PhaseChange& change : facts.comparison.change->by_phase) {
      if (change.phase == name) return phase;
    }
  }
  return std::nullopt;
}

/// Waits for the device per usable cycle, of the process with most of them.
std::vector<double> waits(const Side& side, std::optional<Phase> phase) {
  std::vector<double> counts;
  for (const ProcessCost& process : side.processes) {
    for (std::size_t i = 0; i < process.cycles.size(); ++i) {
      const CycleCost& cycle = process.cycles[i];
      if (!cycle.usable || (phase && cycle.phase != *phase)) continue;
      double count = 0;
      for (const FunctionCost& function : process.functions) {
        if (function.type == "cpu_sync") count += function.count[i];
      }
      counts.push_back(count);
    }
  }
  return counts;
}

bool kernels_took_longer(const Facts& facts) {
  const std::optional<double> ratio = ratio_of_class(facts.comparison.where, "gpu_compute");
  return ratio && *ratio > facts.thresholds.function_changed;
}

Confidence confidence_of(const CounterShift& shift) {
  const bool sure = std::abs(shift.bound) > std::log(2.0) && shift.row.q && *shift.row.q < 0.01 &&
                    shift.row.samples[0] >= 5 && shift.row.samples[1] >= 5;
  return sure ? Confidence::kHigh : Confidence::kMedium;
}

Finding resource_finding(const CounterShift& shift) {
  Finding finding;
  finding.verdict = shift.fact->verdict;
  finding.resource = shift.row.counter;
  finding.device = shift.row.device;
  finding.confidence = confidence_of(shift);
  const double times = shift.row.ratio >= 1 ? shift.row.ratio : 1 / shift.row.ratio;
  finding.text = fmt::format(
      "{} of {} ({}) {} by a factor of {:.3g}, from {:.4g} to {:.4g}", shift.row.counter,
      shift.row.device.empty() ? "the machine" : shift.row.device, shift.fact->meaning,
      shift.row.ratio >= 1 ? "rose" : "fell", times, shift.row.normal, shift.row.abnormal);
  return finding;
}

const CounterShift* find_shift(const Facts& facts, std::string_view counter) {
  for (const CounterShift& shift : facts.shifts) {
    if (shift.row.counter == counter) return &shift;
  }
  return nullptr;
}

/// Kernels take longer at the same clock: somebody else uses the device too.
std::optional<Finding> infer_gpu_contention(const Facts& facts) {
  const CounterShift* clock = find_shift(facts, "gpu_sm_frequency");
  if (clock == nullptr || !kernels_took_longer(facts)) return std::nullopt;
  if (clock->row.ratio < 1 / facts.thresholds.function_changed) return std::nullopt;
  const double ratio = *ratio_of_class(facts.comparison.where, "gpu_compute");
  Finding finding;
  finding.verdict = VerdictClass::kGpuContention;
  finding.resource = "gpu_compute";
  finding.device = clock->row.device;
  finding.text = fmt::format(
      "the same kernels take {:.2f} times as long while the clock stayed at {:.0f} MHz, so "
      "something "
      "else uses the device",
      ratio, clock->row.abnormal);
  const CounterShift* memory = find_shift(facts, "gpu_mem_used");
  const bool more_memory =
      memory != nullptr && memory->bound > 0 &&
      memory->row.abnormal - memory->row.normal > facts.thresholds.foreign_memory_bytes / 4;
  if (more_memory) {
    finding.resource = "gpu_mem_used";
    finding.text += fmt::format("; device memory in use rose by {:.2f} GB",
                                (memory->row.abnormal - memory->row.normal) / 1e9);
  }
  finding.confidence = more_memory ? Confidence::kHigh : Confidence::kMedium;
  return finding;
}

}  // namespace

std::optional<Finding> find_workload_change(const Facts& facts) {
  Finding finding;
  finding.verdict = VerdictClass::kWorkloadChanged;
  finding.confidence = Confidence::kHigh;
  const Side& a = facts.normal;
  const Side& b = facts.abnormal;
  if (a.batch && b.batch && differs(*a.batch, *b.batch, facts.thresholds.batch_changed)) {
    finding.resource = "batch";
    finding.text = fmt::format("the batch is {:.0f} instead of {:.0f}", *b.batch, *a.batch);
    return finding;
  }
  if (a.context_tokens && b.context_tokens &&
      differs(*a.context_tokens, *b.context_tokens, facts.thresholds.batch_changed)) {
    finding.resource = "context_tokens";
    finding.text = fmt::format("a prefill step has {:.0f} tokens instead of {:.0f}",
                               *b.context_tokens, *a.context_tokens);
    return finding;
  }
  for (const Phase phase : {Phase::kDecode, Phase::kPrefill, Phase::kMixed, Phase::kUnknown}) {
    const auto index = static_cast<std::size_t>(phase);
    if (a.shapes[index].empty() || b.shapes[index].empty()) continue;
    const double shared = jaccard(a.shapes[index], b.shapes[index]);
    if (shared >= facts.thresholds.jaccard_same_shapes) continue;
    const auto most = [](const Frequencies& shapes) {
      return std::max_element(shapes.begin(), shapes.end(),
                              [](const auto& x, const auto& y) { return x.second < y.second; })
          ->first;
    };
    finding.resource = "shapes";
    finding.text = fmt::format(
        "matrix products of {} have other shapes (most often {} instead of {}; {:.0f}% in common)",
        phase_name(phase), most(b.shapes[index]), most(a.shapes[index]), 100 * shared);
    return finding;
  }
  return std::nullopt;
}

std::optional<Finding> find_kernel_change(const Facts& facts) {
  const std::optional<Phase> phase = main_phase(facts);
  const Frequencies a = kernels_per_cycle(facts.normal, phase);
  const Frequencies b = kernels_per_cycle(facts.abnormal, phase);
  if (a.empty() || b.empty() || facts.comparison.comparability.aligned_by == "per_launch") {
    return std::nullopt;
  }
  const double shared = jaccard(a, b);
  if (shared >= facts.thresholds.jaccard_same_kernels) return std::nullopt;
  // The kernel whose launches changed most stands for the change.
  std::string name;
  double most = 0;
  const auto look = [&](const Frequencies& list, const Frequencies& other) {
    for (const auto& [kernel, count] : list) {
      const auto at = other.find(kernel);
      const double change = std::abs(count - (at == other.end() ? 0 : at->second));
      if (change > most) {
        most = change;
        name = kernel;
      }
    }
  };
  look(b, a);
  if (name.empty()) look(a, b);
  Finding finding;
  finding.verdict = VerdictClass::kKernelsChanged;
  finding.resource = name;
  finding.confidence = Confidence::kHigh;
  finding.text =
      fmt::format("other kernels do the work: they have {:.0f}% in common", 100 * shared);
  return finding;
}

std::optional<Finding> find_added_sync(const Facts& facts) {
  const std::optional<Phase> phase = main_phase(facts);
  const std::vector<double> a = waits(facts.normal, phase);
  const std::vector<double> b = waits(facts.abnormal, phase);
  if (a.empty() || b.empty()) return std::nullopt;
  const double before = median(a);
  const double after = median(b);
  if (after < before + 2 || after < facts.thresholds.syncs_added * before) return std::nullopt;
  Finding finding;
  finding.verdict = VerdictClass::kSyncAdded;
  finding.confidence = Confidence::kHigh;
  finding.text = fmt::format("the host waits for the device {:.0f} times a step instead of {:.0f}",
                             after, before);
  // The call that is made most often now.
  double most = 0;
  for (const ProcessCost& process : facts.abnormal.processes) {
    for (const FunctionCost& function : process.functions) {
      if (function.type != "cpu_sync") continue;
      double count = 0;
      for (const double n : function.count) count += n;
      if (count <= most) continue;
      most = count;
      finding.resource = function.name;
    }
  }
  return finding;
}

std::vector<Finding> find_resources(const Facts& facts) {
  std::vector<Finding> findings;
  for (const CounterShift& shift : facts.shifts) {
    if (!shift.row.is_cause) continue;
    // A clock that drops because the device has less to do slows nothing down.
    if (shift.fact->verdict == VerdictClass::kGpuClock && !kernels_took_longer(facts)) continue;
    findings.push_back(resource_finding(shift));
  }
  const bool has_gpu_cause =
      std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.verdict == VerdictClass::kGpuClock ||
               finding.verdict == VerdictClass::kGpuContention;
      });
  if (!has_gpu_cause && facts.normal.is_trace) {
    if (auto finding = infer_gpu_contention(facts)) findings.push_back(std::move(*finding));
  }
  return findings;
}

}  // namespace tactus
