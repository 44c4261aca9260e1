#include "explain/prepare_sides.h"

#include <algorithm>

#include "base/parallel.h"
#include "cycles/cycle_selection.h"
#include "measure/counter_values.h"
#include "measure/kinds/name_phases.h"
#include "measure/kinds/step_kinds.h"
#include "measure/regroup.h"

namespace tactus {
namespace {

using Recordings = std::array<std::vector<const Run*>, 2>;

void prepare_patterns(const Recordings& runs, unsigned threads, PreparedSides& prepared) {
  parallel_for(threads, 2, [&](std::size_t which, unsigned) {
    ComparedSide& side = prepared.sides[which];
    std::vector<std::unique_ptr<Measurement>> parts;
    for (const Run* run : runs[which]) {
      parts.push_back(measure_patterns(*run));
      add_counters(pattern_counter_values(*run), side.counters);
    }
    side.recordings.push_back(join_ranks(std::move(parts)));
    split_collectives(*side.recordings.back());
  });
}

/// All recordings are cut like the first of the other side.
Status find_all_cycles(const Recordings& runs, PreparedSides& prepared) {
  auto& cycles = prepared.cycles;
  for (std::size_t which = 0; which < 2; ++which) {
    for (std::size_t i = 0; i < runs[which].size(); ++i) {
      if (which == 1 && i == 0) continue;  // found with the first normal one
      const Run& normal = *runs[0][which == 0 ? i : 0];
      const Run& abnormal = *runs[1][which == 0 ? 0 : i];
      Result<std::pair<Cycles, Cycles>> found = cycles_to_compare(normal, abnormal);
      if (!found) return found.error();
      if (which == 0) cycles[0].push_back(std::make_unique<Cycles>(std::move(found->first)));
      if (which == 1 || i == 0) {
        cycles[1].push_back(std::make_unique<Cycles>(std::move(found->second)));
      }
    }
  }
  return {};
}

void measure_traces(const Recordings& runs, const WantedSteps& wanted, unsigned threads,
                    PreparedSides& prepared) {
  // Measuring takes memory; of large runs, one side at a time.
  constexpr std::size_t kLarge = 2'000'000;
  std::size_t slices = 0;
  for (const auto& side : runs) {
    for (const Run* run : side) slices += run->slices.size();
  }
  parallel_for(slices > kLarge ? 1 : threads, 2, [&](std::size_t which, unsigned) {
    ComparedSide& side = prepared.sides[which];
    for (std::size_t i = 0; i < runs[which].size(); ++i) {
      const Run& run = *runs[which][i];
      if (!run.devices.empty()) side.device = run.strings[run.devices.front().name];
      keep_times(wanted.times, *prepared.cycles[which][i]);
      skip_warmup(wanted.warmup, *prepared.cycles[which][i]);
      side.recordings.push_back(measure_trace(run, *prepared.cycles[which][i]));
      split_collectives(*side.recordings.back());
      TraceCounters counters = counter_values(run, *side.recordings.back());
      add_counters(std::move(counters.values), side.counters);
      side.ranges.push_back(std::move(counters.range));
    }
  });
  for (std::size_t which = 0; which < 2; ++which) {
    const Measurement& other = *prepared.sides[1 - which].recordings.front();
    for (const auto& recording : prepared.sides[which].recordings) name_phases(other, *recording);
  }
  std::vector<Measurement*> recordings;
  for (ComparedSide& side : prepared.sides) {
    for (const auto& recording : side.recordings) recordings.push_back(recording.get());
  }
  find_step_kinds(recordings);
}

}  // namespace

Result<PreparedSides> prepare_sides(const Recordings& runs, const WantedSteps& wanted,
                                    unsigned threads) {
  PreparedSides prepared;
  const bool is_patterns = runs[0].front()->slices.empty();
  for (const auto& side : runs) {
    for (const Run* run : side) {
      if (run->slices.empty() == is_patterns) continue;
      return usage_error(
          "one of the runs is patterns and another is a trace; give runs of one kind (tactus "
          "patterns makes patterns of a trace)");
    }
  }
  if (is_patterns) {
    prepare_patterns(runs, threads, prepared);
    return prepared;
  }
  if (const Status found = find_all_cycles(runs, prepared); !found) return found.error();
  measure_traces(runs, wanted, threads, prepared);
  return prepared;
}

}  // namespace tactus
