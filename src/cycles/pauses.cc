#include "cycles/pauses.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/arithmetic.h"
#include "stats/summary.h"

namespace tactus {
namespace {

/// Processes whose requests begin in the recording: in the others, as servers that get requests
/// from a server of prompts, a decode step may be the first of a request.
std::set<std::uint32_t> processes_with_prompts(const Cycles& cycles) {
  std::set<std::uint32_t> found;
  for (const Cycle& cycle : cycles.cycles) {
    if (cycle.phase == Phase::kPrefill || cycle.phase == Phase::kMixed) found.insert(cycle.process);
  }
  return found;
}

std::int64_t gap_behind(const Cycle& cycle, const Cycle& next) {
  return wrapping_subtract(next.start_ns, wrapping_add(cycle.start_ns, cycle.dur_ns));
}

/// By process: the time that usually passes before a step that only continues requests. The loop
/// needs as much before any other step.
std::map<std::uint32_t, std::int64_t> usual_gaps(const Cycles& cycles) {
  std::map<std::uint32_t, std::vector<std::int64_t>> gaps;
  for (std::size_t i = 0; i + 1 < cycles.cycles.size(); ++i) {
    const Cycle& cycle = cycles.cycles[i];
    const Cycle& next = cycles.cycles[i + 1];
    if (next.process != cycle.process || next.phase != Phase::kDecode) continue;
    gaps[cycle.process].push_back(std::max<std::int64_t>(0, gap_behind(cycle, next)));
  }
  std::map<std::uint32_t, std::int64_t> usual;
  for (auto& [process, of] : gaps) {
    usual[process] = static_cast<std::int64_t>(quantile(of, 0.5));
  }
  return usual;
}

}  // namespace

void settle_pauses(Cycles& cycles) {
  const std::set<std::uint32_t> with_prompts = processes_with_prompts(cycles);
  std::map<std::uint32_t, std::int64_t> usual = usual_gaps(cycles);
  for (std::size_t i = 0; i < cycles.cycles.size(); ++i) {
    Cycle& cycle = cycles.cycles[i];
    if (i + 1 == cycles.cycles.size() || cycles.cycles[i + 1].process != cycle.process) {
      cycle.dur_ns = wrapping_add(cycle.dur_ns, usual[cycle.process]);
      continue;
    }
    const Cycle& next = cycles.cycles[i + 1];
    const std::int64_t gap = gap_behind(cycle, next);
    if (gap <= 0) continue;
    const bool others_came = cycle.sequences && next.sequences &&
                             *cycle.sequences != *next.sequences &&
                             !with_prompts.contains(cycle.process);
    if (next.phase == Phase::kDecode && !others_came) {
      cycle.dur_ns = wrapping_add(cycle.dur_ns, gap);
    } else {
      const std::int64_t of_loop = std::min(gap, usual[cycle.process]);
      cycle.dur_ns = wrapping_add(cycle.dur_ns, of_loop);
      cycle.pause_ns = gap - of_loop;
    }
  }
}

}  // namespace tactus
