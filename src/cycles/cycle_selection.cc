#include "cycles/cycle_selection.h"

namespace tactus {

void keep_cycles(const std::vector<bool>& is_kept, Cycles& cycles) {
  std::vector<std::int32_t> new_place;
  std::vector<Cycle> kept;
  for (std::size_t i = 0; i < cycles.cycles.size(); ++i) {
    new_place.push_back(is_kept[i] ? static_cast<std::int32_t>(kept.size()) : -1);
    if (is_kept[i]) kept.push_back(cycles.cycles[i]);
  }
  cycles.cycles = std::move(kept);
  for (std::int32_t& cycle : cycles.cycle_of_slice) {
    if (cycle >= 0) cycle = new_place[static_cast<std::size_t>(cycle)];
  }
}

void keep_times(const SliceFilter& filter, Cycles& cycles) {
  if (!filter.limits_time()) return;
  std::vector<bool> is_kept;
  for (const Cycle& cycle : cycles.cycles) {
    is_kept.push_back((!filter.from_ns || cycle.start_ns >= *filter.from_ns) &&
                      (!filter.to_ns || cycle.start_ns < *filter.to_ns));
  }
  keep_cycles(is_kept, cycles);
}

void keep_phase(Phase phase, Cycles& cycles) {
  std::vector<bool> is_kept;
  for (const Cycle& cycle : cycles.cycles) is_kept.push_back(cycle.phase == phase);
  keep_cycles(is_kept, cycles);
}

void skip_warmup(std::size_t count, Cycles& cycles) {
  std::vector<bool> is_kept;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < cycles.cycles.size(); ++i) {
    if (i != 0 && cycles.cycles[i].process != cycles.cycles[i - 1].process) seen = 0;
    is_kept.push_back(seen++ >= count);
  }
  keep_cycles(is_kept, cycles);
}

}  // namespace tactus
