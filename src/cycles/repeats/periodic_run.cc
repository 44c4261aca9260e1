#include "cycles/repeats/periodic_run.h"

#include <algorithm>

namespace tactus {
namespace {

/// How many symbols after a stray must agree before a run continues.
std::size_t needed_after_stray(std::size_t period) {
  return std::max<std::size_t>(4, period / 4);
}

constexpr std::size_t kShortestWithStrays = 5;  // below that, strays are most of the pattern

}  // namespace

void append_runs(Symbols symbols, std::size_t begin, std::size_t end, std::size_t period,
                 std::vector<PeriodicRun>& runs) {
  if (end - begin <= period) return;
  const std::size_t last = end - period;  // pairs (i, i + period) have i below this
  const auto agrees = [&](std::size_t i) { return symbols[i] == symbols[i + period]; };
  std::size_t floor = begin;  // pairs before this belong to the previous run
  std::size_t free_from = begin;
  // A run has at least `period` pairs, so one of any `period` consecutive pairs is in it.
  for (std::size_t probe = begin; probe < last;) {
    if (!agrees(probe)) {
      floor = probe + 1;
      probe += period;
      continue;
    }
    std::size_t low = probe;
    while (low > floor && agrees(low - 1)) --low;
    std::size_t high = probe + 1;
    while (high < last && agrees(high)) ++high;
    const PeriodicRun run{
        .first = std::max(low, free_from), .end = high + period, .period = period};
    if (run.end > run.first && run.is_long_enough()) {
      runs.push_back(run);
      free_from = run.end;
    }
    floor = high + 1;
    probe = high + period;
  }
}

void extend_right(Symbols symbols, std::size_t limit, PeriodicRun& run) {
  const std::size_t period = run.period;
  limit = std::min(limit, symbols.size());
  if (limit <= run.end) return;
  const std::size_t last = limit - period;
  const std::size_t needed = needed_after_stray(period);
  std::size_t at = run.end - period;
  while (at < last) {
    if (symbols[at] == symbols[at + period]) {
      ++at;
      continue;
    }
    const std::size_t next = at + 1 + needed;
    if (period < kShortestWithStrays || next > last) break;
    if (!std::equal(symbols.begin() + static_cast<std::ptrdiff_t>(at + 1),
                    symbols.begin() + static_cast<std::ptrdiff_t>(next),
                    symbols.begin() + static_cast<std::ptrdiff_t>(at + 1 + period))) {
      break;
    }
    at = next;
  }
  run.end = at + period;
}

void extend_left(Symbols symbols, std::size_t limit, PeriodicRun& run) {
  const std::size_t period = run.period;
  const std::size_t needed = needed_after_stray(period);
  std::size_t at = run.first;  // the run's first pair
  while (at > limit) {
    if (symbols[at - 1] == symbols[at - 1 + period]) {
      --at;
      continue;
    }
    if (period < kShortestWithStrays || at < limit + 1 + needed) break;
    const std::size_t next = at - 1 - needed;
    if (!std::equal(symbols.begin() + static_cast<std::ptrdiff_t>(next),
                    symbols.begin() + static_cast<std::ptrdiff_t>(at - 1),
                    symbols.begin() + static_cast<std::ptrdiff_t>(next + period))) {
      break;
    }
    at = next;
  }
  run.first = at;
}

std::size_t primitive_period(Symbols symbols, const PeriodicRun& run) {
  // The border array of Knuth, Morris and Pratt over two periods: the longest border of a text
  // gives its shortest period, which divides any other one that fits twice.
  const Symbols text = symbols.subspan(run.first, 2 * run.period);
  std::vector<std::size_t> border(text.size(), 0);
  for (std::size_t i = 1; i < text.size(); ++i) {
    std::size_t length = border[i - 1];
    while (length > 0 && text[i] != text[length]) length = border[length - 1];
    border[i] = text[i] == text[length] ? length + 1 : 0;
  }
  const std::size_t shortest = text.size() - border.back();
  if (run.period % shortest != 0 || shortest == run.period) return run.period;
  // Strays may hide the difference between two periods at the beginning.
  std::size_t differing = 0;
  for (std::size_t i = run.first; i + shortest < run.end; ++i) {
    differing += symbols[i] != symbols[i + shortest] ? 1 : 0;
  }
  return 16 * differing <= run.size() ? shortest : run.period;
}

}  // namespace tactus
