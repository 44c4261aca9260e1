#include "compare/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compare/counters/level_words.h"
#include "compare/time_breakdown.h"
#include "names/kernel_name.h"
#include "stats/summary.h"

namespace tactus {
namespace {

bool differs(double a, double b, double share) {
  return std::abs(b - a) > share * std::max(std::abs(a), std::abs(b));
}

/// The phase for comparing steps: decode if both runs have it.
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
std::vector<double> waits(const ComparedRun& side, std::optional<Phase> phase) {
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

std::string most_frequent(const Frequencies& frequencies) {
  return std::max_element(frequencies.begin(), frequencies.end(),
                          [](const auto& x, const auto& y) { return x.second < y.second; })
      ->first;
}

bool kernels_took_longer(const Facts& facts) {
  const std::optional<double> ratio =
      ratio_of_class(facts.comparison.time_breakdown, "gpu_compute");
  return ratio && *ratio > facts.thresholds.function_changed;
}

Confidence confidence_of(const CounterShift& shift) {
  const bool sure = std::abs(shift.bound) > std::log(2.0) && shift.row.q && *shift.row.q < 0.01 &&
                    shift.row.samples[0] >= 5 && shift.row.samples[1] >= 5;
  return sure ? Confidence::kHigh : Confidence::kMedium;
}

/// Patterns give levels in a unit of their own, traces in that of the counter.
Finding resource_finding(const CounterShift& shift, bool is_trace) {
  Finding finding;
  finding.verdict = shift.fact->verdict;
  finding.resource = shift.row.counter;
  finding.device = shift.row.device;
  finding.confidence = confidence_of(shift);
  finding.text =
      fmt::format("{} of {} ({}) {}", shift.row.counter,
                  shift.row.device.empty() ? "the machine" : shift.row.device, shift.fact->meaning,
                  move_words(shift.row.ratio, shift.row.normal, shift.row.abnormal,
                             is_trace ? shift.fact->unit : std::string_view()));
  return finding;
}

const CounterShift* find_shift(const Facts& facts, std::string_view counter) {
  for (const CounterShift& shift : facts.shifts) {
    if (shift.row.counter == counter) return &shift;
  }
  return nullptr;
}

/// Kernels take longer at the same clock: another program uses the device too.
std::optional<Finding> infer_gpu_contention(const Facts& facts) {
  const CounterShift* clock = find_shift(facts, "gpu_sm_frequency");
  if (clock == nullptr || !kernels_took_longer(facts)) return std::nullopt;
  if (clock->row.ratio < 1 / facts.thresholds.function_changed) return std::nullopt;
  const double ratio = *ratio_of_class(facts.comparison.time_breakdown, "gpu_compute");
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

/// The kernel whose launches changed most.
std::string most_changed(const Frequencies& a, const Frequencies& b) {
  std::string name;
  double most = 0;
  const auto look = [&](const Frequencies& list, const Frequencies& other) {
    for (const auto& [kernel, count] : list) {
      const auto at = other.find(kernel);
      const double change = std::abs(count - (at == other.end() ? 0 : at->second));
      if (change <= most) continue;
      most = change;
      name = kernel;
    }
  };
  look(b, a);
  look(a, b);
  return name;
}

/// The library itself chooses among these kernels, and the choice may change with a length.
bool is_chosen_by_library(Family family) {
  return family == Family::kGemm || family == Family::kGemv || family == Family::kSplitKReduce ||
         family == Family::kAttention || family == Family::kAttentionPrepare ||
         family == Family::kAttentionCombine || family == Family::kOther;
}

struct OtherOperator {
  std::string op;
  std::string kernel;
  double per_cycle = 0;
  bool appeared = false;
};

/// An operator that runs in each step of one run, a few times at least, and never in the other.
std::optional<OtherOperator> other_operator(const Frequencies& a, const Frequencies& b) {
  constexpr double kLeast = 4;
  struct Use {
    double count[2] = {0, 0};
    std::string kernel;
  };
  std::map<std::string, Use> uses;
  for (const Frequencies* side : {&a, &b}) {
    for (const auto& [kernel, count] : *side) {
      const KernelName name = decode_kernel_name(kernel);
      if (is_chosen_by_library(name.family) || name.op.empty()) continue;
      Use& use = uses[name.op];
      use.count[side == &a ? 0 : 1] += count;
      use.kernel = kernel;
    }
  }
  std::optional<OtherOperator> most;
  for (const auto& [op, use] : uses) {
    const bool appeared = use.count[0] == 0;
    if (!appeared && use.count[1] != 0) continue;
    const double count = std::max(use.count[0], use.count[1]);
    if (count < kLeast || (most && most->per_cycle >= count)) continue;
    most = OtherOperator{.op = op, .kernel = use.kernel, .per_cycle = count, .appeared = appeared};
  }
  return most;
}

/// Whether the work that a resource slows down took longer.
bool is_felt(const Facts& facts, VerdictClass verdict) {
  const auto longer = [&](std::initializer_list<std::string_view> types) {
    return std::any_of(types.begin(), types.end(), [&](std::string_view type) {
      const std::optional<double> ratio = ratio_of_class(facts.comparison.time_breakdown, type);
      return ratio && *ratio > facts.thresholds.function_changed;
    });
  };
  switch (verdict) {
    case VerdictClass::kGpuClock:
    case VerdictClass::kGpuContention: return kernels_took_longer(facts);
    case VerdictClass::kCpuContention:
    case VerdictClass::kCpuFrequency: return longer({"cpu_launch", "oncpu", "runq"});
    case VerdictClass::kPcie: return longer({"gpu_memcpy_h2d", "gpu_memcpy_d2h"});
    case VerdictClass::kNvlink: return longer({"collective", "gpu_memcpy_d2d"});
    default: return false;
  }
}

}  // namespace

std::optional<Finding> find_workload_change(const Facts& facts) {
  Finding finding;
  finding.verdict = VerdictClass::kWorkloadChanged;
  finding.confidence = Confidence::kHigh;
  const ComparedRun& a = facts.normal;
  const ComparedRun& b = facts.abnormal;
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
    const Frequencies& before = a.rows_of_products[static_cast<std::size_t>(phase)];
    const Frequencies& after = b.rows_of_products[static_cast<std::size_t>(phase)];
    if (before.empty() || after.empty()) continue;
    const double shared = jaccard(before, after);
    if (shared >= facts.thresholds.jaccard_same_shapes) continue;
    finding.resource = "shapes";
    finding.text =
        fmt::format("the matrix products of {} steps have {} rows (tokens) instead of {}",
                    phase_name(phase), most_frequent(after), most_frequent(before));
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
  Finding finding;
  finding.verdict = VerdictClass::kKernelsChanged;
  finding.confidence = Confidence::kHigh;
  if (const std::optional<OtherOperator> other = other_operator(a, b)) {
    finding.resource = other->kernel;
    finding.text =
        fmt::format("other kernels do the work: {} {} {:.0f} times per step", other->op,
                    other->appeared ? "is new and runs" : "is gone and ran", other->per_cycle);
    return finding;
  }
  const double shared = jaccard(a, b);
  if (shared >= facts.thresholds.jaccard_same_kernels) return std::nullopt;
  finding.resource = most_changed(a, b);
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
  finding.text = fmt::format(
      "the host waits for the device {:.0f} times per step instead of {:.0f}", after, before);
  // The call that is now made most often.
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
    // A clock that drops because the device has less to do slows nothing down, and a host that is
    // mostly idle still has free cores.
    if (shift.fact->verdict == VerdictClass::kGpuClock && !kernels_took_longer(facts)) continue;
    if (shift.fact->name == "host_cpu_usage" &&
        shift.row.abnormal < facts.thresholds.host_cpu_busy_pct) {
      continue;
    }
    findings.push_back(resource_finding(shift, facts.normal.is_trace));
  }
  const bool has_gpu_cause =
      std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.verdict == VerdictClass::kGpuClock ||
               finding.verdict == VerdictClass::kGpuContention;
      });
  if (!has_gpu_cause && facts.normal.is_trace) {
    if (auto finding = infer_gpu_contention(facts)) findings.push_back(std::move(*finding));
  }
  // Counters are sorted by how far they moved; those with a visible effect come first.
  std::stable_partition(findings.begin(), findings.end(),
                        [&](const Finding& finding) { return is_felt(facts, finding.verdict); });
  return findings;
}

}  // namespace tactus
