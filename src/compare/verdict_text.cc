#include "compare/verdict_text.h"

#include <fmt/format.h>

#include <cctype>

namespace tactus {
namespace {

struct Words {
  VerdictClass verdict;
  std::string_view name;  ///< of the class, in output
  std::string_view next;  ///< what to do
  std::string_view command;
};

constexpr Words kWords[] = {
    {VerdictClass::kNone, "none", "", ""},
    {VerdictClass::kWorkloadChanged, "workload_changed",
     "Compare runs of the same batch and lengths, or compare per token.", "tactus cycles RUN"},
    {VerdictClass::kKernelsChanged, "kernels_changed",
     "See which operators changed their kernels, and what that costs.",
     "tactus kernels NORMAL ABNORMAL"},
    {VerdictClass::kSyncAdded, "sync_added",
     "Find the line that waits: .item(), .cpu(), a print of a tensor, a device-wide synchronise.",
     "tactus kernels ABNORMAL --by source"},
    {VerdictClass::kCpuContention, "cpu_contention",
     "See what else runs on the host, and give the server its own cores.",
     "top -b -n 1 | head -20; taskset -cp PID"},
    {VerdictClass::kCpuFrequency, "cpu_frequency",
     "Look at the governor, power limits and temperatures of the host.",
     "cpupower frequency-info; grep MHz /proc/cpuinfo | sort | uniq -c"},
    {VerdictClass::kGpuClock, "gpu_clock",
     "Ask the driver why the clock is low: power, heat, a lock that somebody set.",
     "nvidia-smi -q -d CLOCK,PERFORMANCE,POWER,TEMPERATURE"},
    {VerdictClass::kGpuContention, "gpu_contention", "See which other processes use the device.",
     "nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv"},
    {VerdictClass::kPcie, "pcie",
     "See who copies over PCIe, and whether the link is as wide as it should be.",
     "nvidia-smi dmon -s t; nvidia-smi -q -d PCIE"},
    {VerdictClass::kNvlink, "nvlink", "See who copies between the GPUs.",
     "nvidia-smi nvlink -gt d; nvidia-smi --query-compute-apps=pid,name --format=csv"},
    {VerdictClass::kNetwork, "network", "See who uses the network cards.", "sar -n DEV 1 5"},
    {VerdictClass::kHostMemory, "host_memory",
     "See who takes the host's memory, and whether it swaps.", "free -h; vmstat 1 5"},
    {VerdictClass::kDisk, "disk", "See who reads and writes.", "iostat -x 1 5"},
    {VerdictClass::kNotComparable, "not_comparable",
     "Record both runs with the same engine, batch and length, for at least ten steps.",
     "tactus cycles RUN"},
    {VerdictClass::kUnknown, "unknown",
     "Record the host and counters too, and look at where the time went.",
     "tactus kernels NORMAL ABNORMAL"},
};

const Words& words_of(VerdictClass verdict) {
  for (const Words& words : kWords) {
    if (words.verdict == verdict) return words;
  }
  return kWords[0];
}

/// "A decode step takes 2.13 times as long (2.05 to 2.20)"
std::string how_much(const Comparison& comparison) {
  const Change& change = *comparison.change;
  std::string unit = change.unit == "launch" ? "launch" : "step";
  if (unit == "step" && !change.by_phase.empty()) {
    const std::string& phase = change.by_phase.front().phase;
    if (phase == "decode" || phase == "prefill" || phase == "mixed") unit = phase + " step";
  }
  const bool same = change.low <= 1 && change.high >= 1;
  const bool little = change.ratio > 0.97 && change.ratio < 1.03;
  if (little || (same && change.ratio > 0.9 && change.ratio < 1.1)) {
    return fmt::format("A {} takes as long as before (ratio {:.2f}, {:.2f} to {:.2f})", unit,
                       change.ratio, change.low, change.high);
  }
  if (change.ratio > 1) {
    return fmt::format("A {} takes {:.2f} times as long ({:.2f} to {:.2f})", unit, change.ratio,
                       change.low, change.high);
  }
  return fmt::format("A {} takes {:.0f}% of the time it took ({:.2f} to {:.2f})", unit,
                     100 * change.ratio, change.low, change.high);
}

}  // namespace

std::string_view verdict_class_name(VerdictClass verdict) {
  return words_of(verdict).name;
}

std::string_view confidence_name(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh: return "high";
    case Confidence::kMedium: return "medium";
    case Confidence::kLow: break;
  }
  return "low";
}

std::string sentence(std::string clause) {
  if (clause.empty()) return clause;
  // Names stay as they are written.
  const bool is_name = clause.substr(0, clause.find(' ')).find('_') != std::string::npos;
  if (!is_name) {
    clause.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(clause.front())));
  }
  if (clause.back() != '.') clause += '.';
  return clause;
}

std::string verdict_sentence(const Comparison& comparison, std::span<const Finding> findings) {
  if (!comparison.comparable) {
    const std::vector<std::string>& reasons = comparison.comparability.reasons;
    return "The two runs cannot be compared" +
           (reasons.empty() ? std::string(".") : ": " + reasons.front());
  }
  const std::string much = how_much(comparison);
  if (!findings.empty()) return much + ": " + findings.front().text + ".";
  if (comparison.verdict.verdict == VerdictClass::kUnknown) {
    return much + ", and nothing that was recorded explains it.";
  }
  return much + ", and nothing else that was recorded changed.";
}

std::vector<NextStep> next_steps(const Comparison& comparison) {
  std::vector<NextStep> steps;
  const auto add = [&](VerdictClass verdict) {
    const Words& words = words_of(verdict);
    if (!words.next.empty()) {
      steps.push_back({.text = std::string(words.next), .command = std::string(words.command)});
    }
  };
  add(comparison.verdict.verdict);
  for (const VerdictClass verdict : comparison.also) add(verdict);
  return steps;
}

}  // namespace tactus
