#include "cycles/phases/phase_summaries.h"

#include <algorithm>

namespace tactus {
namespace {

/// Tokens that a cycle computed; without other information, a decode step makes one per request.
std::optional<std::int64_t> tokens_of(const Cycle& cycle) {
  if (cycle.tokens) return cycle.tokens;
  if (cycle.context_tokens && cycle.generation_tokens) {
    return *cycle.context_tokens + *cycle.generation_tokens;
  }
  if (cycle.phase == Phase::kDecode) {
    return cycle.generation_tokens ? cycle.generation_tokens : cycle.batch;
  }
  return cycle.phase == Phase::kPrefill ? cycle.context_tokens : std::nullopt;
}

PhaseSummary summarise_phase(const Cycles& cycles, Phase phase) {
  PhaseSummary summary{.phase = phase};
  std::vector<std::int64_t> durations, launches;
  double busy_ns = 0;
  double timed_ns = 0;  // of cycles with known times of the device
  double tokens = 0;
  bool all_known = true;
  for (const Cycle& cycle : cycles.cycles) {
    if (cycle.phase != phase) continue;
    if (!cycle.complete) {
      ++summary.cut;
      continue;
    }
    durations.push_back(cycle.dur_ns);
    launches.push_back(cycle.launches);
    busy_ns += static_cast<double>(cycle.gpu_busy_ns);
    if (!lacks_gpu_time(cycle)) timed_ns += static_cast<double>(cycle.dur_ns);
    const std::optional<std::int64_t> of_cycle = tokens_of(cycle);
    all_known = all_known && of_cycle;
    tokens += static_cast<double>(of_cycle.value_or(0));
  }
  if (durations.empty()) return summary;
  summary.durations = summarise(durations);
  summary.launches = static_cast<std::int64_t>(quantile(launches, 0.5));
  const auto total_ns = static_cast<double>(summary.durations.total_ns);
  if (timed_ns > 0) summary.gpu_busy_share = busy_ns / timed_ns;
  if (total_ns > 0 && all_known) summary.tokens_per_second = tokens / total_ns * 1e9;
  return summary;
}

}  // namespace

std::vector<PhaseSummary> summarise_phases(const Cycles& cycles) {
  std::vector<PhaseSummary> summaries;
  for (const Phase phase : {Phase::kPrefill, Phase::kDecode, Phase::kMixed, Phase::kUnknown}) {
    PhaseSummary summary = summarise_phase(cycles, phase);
    if (summary.durations.count != 0 || summary.cut != 0) summaries.push_back(summary);
  }
  std::stable_sort(summaries.begin(), summaries.end(),
                   [](const PhaseSummary& a, const PhaseSummary& b) {
                     return a.durations.total_ns > b.durations.total_ns;
                   });
  return summaries;
}

}  // namespace tactus
