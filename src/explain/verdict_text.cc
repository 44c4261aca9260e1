#include "explain/verdict_text.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

namespace tactus {
namespace {

struct Words {
  VerdictClass verdict;
  std::string_view name;  ///< of the class, in output
  std::string_view next;  ///< what to do
  std::string_view command;
  std::string_view amd = {};  ///< the command for a GPU of AMD, if it is another one
};

constexpr Words kWords[] = {
    {VerdictClass::kNone, "none", "", ""},
    {VerdictClass::kWorkloadChanged, "workload_changed",
     "Compare runs of the same batch and lengths.", "tactus cycles RUN"},
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
     "nvidia-smi -q -d CLOCK,PERFORMANCE,POWER,TEMPERATURE",
     "amd-smi metric --clock --power --temperature"},
    {VerdictClass::kGpuContention, "gpu_contention", "See which other processes use the device.",
     "nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv", "amd-smi process"},
    {VerdictClass::kPcie, "pcie",
     "See who copies over PCIe, and whether the link is as wide as it should be.",
     "nvidia-smi dmon -s t; nvidia-smi -q -d PCIE", "amd-smi metric --pcie"},
    {VerdictClass::kNvlink, "nvlink", "See who copies between the GPUs.",
     "nvidia-smi nvlink -gt d; nvidia-smi --query-compute-apps=pid,name --format=csv",
     "amd-smi xgmi; amd-smi process"},
    {VerdictClass::kNetwork, "network", "See who uses the network cards.", "sar -n DEV 1 5"},
    {VerdictClass::kHostMemory, "host_memory",
     "See who takes the host's memory, and whether it swaps.", "free -h; vmstat 1 5"},
    {VerdictClass::kDisk, "disk", "See who reads and writes.", "iostat -x 1 5"},
    {VerdictClass::kGpuSlower, "gpu_slower",
     "Record the clock of the GPU and who else uses it, then compare again.",
     "nvidia-smi --query-gpu=clocks.sm,clocks.mem --format=csv; nvidia-smi "
     "--query-compute-apps=pid,used_memory --format=csv",
     "amd-smi metric --clock --power; amd-smi process"},
    {VerdictClass::kHostSlower, "host_slower",
     "See the load and the clock of the CPU; if they were not recorded, record them too.",
     "top -b -n 1 | head -20; grep MHz /proc/cpuinfo | sort | uniq -c"},
    {VerdictClass::kStraggler, "straggler", "Look at the machine and the device of that rank.",
     "tactus cycles RUN"},
    {VerdictClass::kSeveral, "several",
     "Look at each of them; change one thing at a time and compare again.",
     "tactus kernels NORMAL ABNORMAL"},
    {VerdictClass::kNotComparable, "not_comparable",
     "Record both runs with the same engine, batch and length, for about 100 steps.",
     "tactus cycles RUN"},
    {VerdictClass::kUnknown, "unknown", "Look at where the time went.",
     "tactus kernels NORMAL ABNORMAL"},
};

const Words& words_of(VerdictClass verdict) {
  for (const Words& words : kWords) {
    if (words.verdict == verdict) return words;
  }
  return kWords[0];
}

bool contains_1(const RatioRow& row) {
  return row.low <= 1 && row.high >= 1;
}

}  // namespace

std::string step_words(const std::string& phase) {
  constexpr std::string_view kKind = "unknown ";
  if (phase.empty() || phase == "unknown") return "step";
  if (phase.starts_with(kKind)) return "step of kind " + phase.substr(kKind.size());
  return phase + " step";
}

namespace {

std::string unit_words(const Change& change) {
  return change.unit == "launch" ? change.unit : step_words(change.phase);
}

}  // namespace

std::string step_change_words(const Change& change) {
  const std::string unit = unit_words(change);
  const bool has_interval = !std::isnan(change.low) && !std::isnan(change.high);
  if (!has_interval && change.ratio == 1) return fmt::format("a {} takes as long as before", unit);
  const std::string unsure = fmt::format("it is not certain whether a {} takes {} or not", unit,
                                         change.ratio < 1 ? "less time" : "longer");
  if (!has_interval && !change.is_apart)
    return fmt::format("{} (ratio {:.2f})", unsure, change.ratio);
  const std::string interval =
      has_interval ? fmt::format("{:.2f} to {:.2f}", change.low, change.high) : "interval unknown";
  if (has_interval && contains_1(change) && change.low >= 0.95 && change.high <= 1.05) {
    return fmt::format("a {} takes as long as before (ratio {:.2f}, {})", unit, change.ratio,
                       interval);
  }
  if (has_interval && contains_1(change)) {
    return fmt::format("{} (ratio {:.2f}, {})", unsure, change.ratio, interval);
  }
  if (change.ratio >= 1) {
    return fmt::format("a {} takes {:.2f} times as long ({})", unit, change.ratio, interval);
  }
  return fmt::format("a {} takes {:.{}f}% of the time it took ({})", unit, 100 * change.ratio,
                     change.ratio > 0.95 ? 1 : 0, interval);
}

namespace {

/// "gemm takes 2.00 times as long, collective 0.71 times": parts that certainly changed while the
/// step did not.
std::string parts_that_changed(const Comparison& comparison) {
  constexpr double kOfStep = 0.02;  // less is not worth a word
  constexpr std::size_t kMost = 3;
  std::string words;
  std::size_t named = 0;
  for (const TimeBreakdownRow& row : comparison.time_breakdown) {
    const bool is_large =
        std::abs(row.delta_ns_per_cycle) >= kOfStep * comparison.change->step_ns[0];
    if (row.kind != "part" || !is_large || !row.q || *row.q >= 0.05 || named == kMost) continue;
    words += fmt::format("{}{}", words.empty() ? "" : ", ", row.what);
    words += row.state == "changed" ? fmt::format(" takes {:.2f} times as long", row.ratio)
                                    : fmt::format(" is {}", row.state);
    ++named;
  }
  return words;
}

std::string_view joint_words(Joint joint) {
  switch (joint) {
    case Joint::kBecause: return ": ";
    case Joint::kBut: return ", but ";
    case Joint::kAlthough: return ", although ";
  }
  return {};
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

std::string_view felt_name(FeltAs felt) {
  switch (felt) {
    case FeltAs::kSlower: return "slower";
    case FeltAs::kFaster: return "faster";
    case FeltAs::kSame: return "same";
    case FeltAs::kUnknown: break;
  }
  return "unknown";
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

std::string verdict_sentence(const Comparison& comparison, const Decision& decision,
                             bool one_recording_each) {
  const std::string& clause = decision.clause;
  const bool is_other_kind = comparison.verdict.verdict == VerdictClass::kNotComparable;
  if (!comparison.change && !is_other_kind) return sentence(clause);
  if (!comparison.comparable) {
    const std::vector<std::string>& reasons = comparison.comparability.reasons;
    const std::string why = !clause.empty() ? clause : reasons.empty() ? "" : reasons.back();
    return "The two runs cannot be compared." + (why.empty() ? why : " " + sentence(why));
  }
  const Change& change = *comparison.change;
  const bool is_unsure = decision.is_unsure;
  std::string text = is_unsure ? "it is not certain whether a step takes longer or not"
                               : step_change_words(change);
  const RatioRow& mean = change.mean;
  const bool is_none = comparison.verdict.verdict == VerdictClass::kNone;
  if (is_none && contains_1(change) && contains_1(mean) &&
      (change.low < 0.95 || change.high > 1.05)) {
    text = fmt::format("a {} takes as long as before on average (ratio {:.2f}, {:.2f} to {:.2f})",
                       unit_words(change), mean.ratio, mean.low, mean.high);
  } else if (!is_unsure && !std::isnan(mean.low) && contains_1(change) && !contains_1(mean)) {
    text += fmt::format(", but on average it takes {:.2f} times as long ({:.2f} to {:.2f})",
                        mean.ratio, mean.low, mean.high);
  }
  if (!is_unsure && !change.shape_text.empty()) text += ", " + change.shape_text;
  if (one_recording_each) text = "in these recordings, " + text;
  if (!clause.empty()) {
    text.append(joint_words(decision.joint)).append(clause);
  } else if (is_none) {
    text += change.low > 1 || change.high < 1 ? ", less than 5%" : "";
    const std::string moved = parts_that_changed(comparison);
    text += moved.empty() ? ", and none of its parts certainly changed"
                          : ", though its parts changed: " + moved;
    if (!decision.aside.empty()) text += "; " + decision.aside;
  }
  if (change.missing_ranks > 0) {
    text += fmt::format("; {} of the normal run {} missing in the other",
                        change.missing_ranks == 1 ? std::string("1 rank")
                                                  : fmt::format("{} ranks", change.missing_ranks),
                        change.missing_ranks == 1 ? "is" : "are");
  }
  return sentence(std::move(text));
}

std::string shape_words(const ShapeOfChange& shape) {
  switch (shape.shape) {
    case ChangeShape::kSome:
      if (shape.period > 1) {
        return fmt::format("one step in {} takes {:.1f} times as long as the others", shape.period,
                           shape.factor);
      }
      return fmt::format("{:.0f}% of the steps take {:.1f} times as long as the others",
                         100 * shape.share, shape.factor);
    case ChangeShape::kDrift:
      return fmt::format("more and more from step to step ({:.2f} times in the last tenth of them)",
                         shape.factor);
    case ChangeShape::kJump:
      return shape.is_early ? fmt::format("up to step {}", shape.at)
                            : fmt::format("from step {} on", shape.at + 1);
    default: return {};
  }
}

std::string level_words(const ShapeOfChange& shape, bool of_normal) {
  const std::string_view run = of_normal ? " of the normal run" : "";
  if (shape.shape == ChangeShape::kDrift) return fmt::format("in the last third{}", run);
  return shape.is_early ? fmt::format("up to step {} of {}{}", shape.at, shape.steps, run)
                        : fmt::format("from step {} of {}{} on", shape.at + 1, shape.steps, run);
}

std::string several_words(std::span<const Explanation> explanations) {
  std::string words;
  for (const Explanation& explanation : explanations) {
    if (explanation.share < 0.1) continue;
    words += fmt::format("{}{} explains {:.0f}%", words.empty() ? "" : ", ",
                         verdict_class_name(explanation.verdict), 100 * explanation.share);
  }
  return words;
}

namespace {

/// What would settle what is not known: more steps, or what was not recorded.
std::string next_of_unknown(const Comparison& comparison) {
  const std::string& reason = comparison.verdict.reason;
  if (reason == "too_few" || reason == "too_noisy") {
    return "Record more steps, or several runs of each: tactus compare --normal A1 A2 --abnormal "
           "B1 B2.";
  }
  return comparison.not_known.empty() ? std::string(words_of(VerdictClass::kUnknown).next)
                                      : "Record what is not known too, and look at where the time "
                                        "went.";
}

}  // namespace

std::vector<NextStep> next_steps(const Comparison& comparison, std::string_view device) {
  std::vector<NextStep> steps;
  const bool is_amd = device.find("AMD") != std::string_view::npos ||
                      device.find("Instinct") != std::string_view::npos;
  const auto add = [&](VerdictClass verdict) {
    const Words& words = words_of(verdict);
    if (words.next.empty()) return;
    const bool is_unknown = verdict == VerdictClass::kUnknown;
    steps.push_back(
        {.text = is_unknown ? next_of_unknown(comparison) : std::string(words.next),
         .command = std::string(is_amd && !words.amd.empty() ? words.amd : words.command)});
  };
  // What made the normal run slower is gone.
  if (comparison.verdict.felt == FeltAs::kFaster) return steps;
  add(comparison.verdict.verdict);
  for (const ShareRow& other : comparison.also) add(other.verdict);
  return steps;
}

}  // namespace tactus
