#include "cycles/pauses.h"

#include <set>

#include "base/arithmetic.h"

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

}  // namespace

void settle_pauses(Cycles& cycles) {
  const std::set<std::uint32_t> with_prompts = processes_with_prompts(cycles);
  for (std::size_t i = 0; i + 1 < cycles.cycles.size(); ++i) {
    Cycle& cycle = cycles.cycles[i];
    const Cycle& next = cycles.cycles[i + 1];
    if (next.process != cycle.process) continue;
    const std::int64_t gap =
        wrapping_subtract(next.start_ns, wrapping_add(cycle.start_ns, cycle.dur_ns));
    if (gap <= 0) continue;
    const bool others_came = cycle.sequences && next.sequences &&
                             *cycle.sequences != *next.sequences &&
                             !with_prompts.contains(cycle.process);
    if (next.phase == Phase::kDecode && !others_came) {
      cycle.dur_ns = wrapping_add(cycle.dur_ns, gap);
    } else {
      cycle.pause_ns = gap;
    }
  }
}

}  // namespace tactus
