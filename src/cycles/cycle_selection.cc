#include "cycles/cycle_selection.h"

#include <algorithm>
#include <span>

#include "base/arithmetic.h"

namespace tactus {

namespace {

/// What all say alike, or what they add up to; nothing if one does not say.
void add_tokens(const std::optional<std::int64_t>& more, std::optional<std::int64_t>& sum) {
  if (sum && more) {
    sum = wrapping_add(*sum, *more);
  } else {
    sum.reset();
  }
}

Cycle joined(std::span<const Cycle> parts) {
  Cycle whole = parts.front();
  std::int64_t end_ns = wrapping_add(whole.start_ns, whole.dur_ns);
  for (const Cycle& part : parts.subspan(1)) {
    end_ns = std::max(end_ns, wrapping_add(part.start_ns, part.dur_ns));
    if (part.phase != whole.phase) whole.phase = Phase::kMixed;
    whole.gpu_busy_ns = wrapping_add(whole.gpu_busy_ns, part.gpu_busy_ns);
    whole.launches += part.launches;
    whole.complete = whole.complete && part.complete;
    if (part.batch != whole.batch) whole.batch.reset();
    add_tokens(part.context_tokens, whole.context_tokens);
    add_tokens(part.generation_tokens, whole.generation_tokens);
    add_tokens(part.prompts, whole.prompts);
    // Layers of one step share its tokens, steps add theirs: which of both this is, is not known.
    whole.tokens.reset();
    whole.sequences.reset();
    whole.context.reset();
    whole.evidence = std::min(whole.evidence, part.evidence);
  }
  whole.dur_ns = wrapping_subtract(end_ns, whole.start_ns);
  return whole;
}

}  // namespace

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

void join_cycles(std::size_t count, const std::vector<std::size_t>& firsts, Cycles& cycles) {
  std::vector<std::int32_t> new_place(cycles.cycles.size(), -1);
  std::vector<Cycle> wholes;
  for (const std::size_t first : firsts) {
    for (std::size_t i = first; i < first + count; ++i) {
      new_place[i] = static_cast<std::int32_t>(wholes.size());
    }
    wholes.push_back(joined(std::span(cycles.cycles).subspan(first, count)));
  }
  for (std::int32_t& cycle : cycles.cycle_of_slice) {
    if (cycle >= 0) cycle = new_place[static_cast<std::size_t>(cycle)];
  }
  cycles.cycles = std::move(wholes);
  cycles.joined *= count;
}

}  // namespace tactus
