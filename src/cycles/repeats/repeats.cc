#include "cycles/repeats/repeats.h"

#include <algorithm>

#include "cycles/repeats/period_candidates.h"
#include "cycles/repeats/periodic_run.h"

namespace tactus {
namespace {

using Runs = std::vector<PeriodicRun>;

constexpr std::size_t kFewestSymbols = 4;  // of a run that is long enough

/// Windows that are searched separately, so that a prefill that is rare in the whole recording is
/// still found. The second size is for periods that are too long for the first.
struct Scale {
  std::size_t window;
  std::size_t shortest_period;
  std::size_t longest_period;
};
constexpr Scale kScales[] = {{8192, 1, 4096}, {131'072, 1024, 65'536}};

/// True for a run that may explain its whole stretch: layers explain the steps around them. The
/// same kernel a few times in a row, or a pair of equal halves, is a detail of a layer.
bool is_layer_like(const PeriodicRun& run) {
  constexpr std::size_t kManyTimes = 64;  // no layer has so many of one kernel
  return run.times() >= (run.period == 1 ? kManyTimes : 3);
}

/// True for a run that is a detail of a longer run around it.
bool yields_to(const PeriodicRun& detail, const PeriodicRun& run) {
  return is_layer_like(run) && (!is_layer_like(detail) || 4 * detail.size() < run.size());
}

/// Symbols of [first, end) inside layer-like runs.
std::size_t covered(std::span<const PeriodicRun> runs, std::size_t first, std::size_t end) {
  std::size_t count = 0;
  for (const PeriodicRun& run : runs) {
    if (run.end <= first || run.first >= end || !is_layer_like(run)) continue;
    count += std::min(run.end, end) - std::max(run.first, first);
  }
  return count;
}

/// Adds runs of a longer period: a run replaces the shorter ones inside it if they explain less
/// than half of it. So layers win over steps, and over their own details.
void choose(Runs& chosen, const Runs& longer) {
  if (longer.empty()) return;
  Runs result;
  result.reserve(chosen.size() + longer.size());
  auto next = chosen.begin();
  for (const PeriodicRun& run : longer) {
    while (next != chosen.end() && next->end <= run.first) result.push_back(*next++);
    const auto inside_end =
        std::find_if(next, chosen.end(), [&](const PeriodicRun& r) { return r.first >= run.end; });
    const bool is_known =  // the same again with twice the period
        next != inside_end && next->first <= run.first && run.end <= next->end;
    if (is_known) continue;
    if (2 * covered(std::span(next, inside_end), run.first, run.end) >= run.size()) continue;

    // Layers that cross an edge of the run keep their symbols; details lose them.
    const bool crosses_first = next != inside_end && next->first < run.first;
    const bool crosses_end = next != inside_end && std::prev(inside_end)->end > run.end;
    PeriodicRun taken = run;
    if (crosses_first && is_layer_like(*next)) taken.first = next->end;
    if (crosses_end && is_layer_like(*std::prev(inside_end))) {
      taken.end = std::prev(inside_end)->first;
    }
    if (taken.end <= taken.first || !taken.is_long_enough()) continue;
    if (crosses_first) {
      PeriodicRun before = *next;
      before.end = taken.first;
      result.push_back(before);
      if (next->end <= taken.end) ++next;
    }
    result.push_back(taken);
    while (next != inside_end && next->end <= taken.end) ++next;
    if (next != inside_end) next->first = taken.end;
  }
  result.insert(result.end(), next, chosen.end());
  std::erase_if(
      result, [](const PeriodicRun& run) { return run.end <= run.first || !run.is_long_enough(); });
  chosen = std::move(result);
}

/// Extends a run to the left. Layers take symbols from details before them.
void grow_left(Symbols symbols, Runs& before, PeriodicRun& run) {
  std::size_t kept = before.size();
  while (kept > 0 && yields_to(before[kept - 1], run)) --kept;
  extend_left(symbols, kept == 0 ? 0 : before[kept - 1].end, run);
  while (before.size() > kept && before.back().end > run.first) {
    PeriodicRun& detail = before.back();
    detail.end = run.first;
    if (detail.end > detail.first && detail.is_long_enough()) break;
    before.pop_back();
  }
}

/// Extends a run to the right, and joins it with runs of its period that it reaches. Returns the
/// last run that it has absorbed.
std::size_t grow_right(Symbols symbols, const Runs& runs, std::size_t at, PeriodicRun& run) {
  while (true) {
    std::size_t next = at + 1;
    while (next < runs.size() && yields_to(runs[next], run)) ++next;
    const bool is_last = next == runs.size();
    const bool may_join = !is_last && runs[next].period == run.period;
    const std::size_t limit =
        is_last ? symbols.size() : runs[next].first + (may_join ? run.period : 0);
    extend_right(symbols, limit, run);
    if (!may_join || run.end < limit) return at;
    run.end = std::max(run.end, runs[next].end);
    at = next;
  }
}

/// Joins runs that windows cut in two, and extends runs across strays and window edges.
Runs joined(Symbols symbols, const Runs& runs) {
  Runs result;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    PeriodicRun run = runs[i];
    run.first = std::max(run.first, result.empty() ? 0 : result.back().end);
    if (run.first >= run.end || !run.is_long_enough()) continue;
    grow_left(symbols, result, run);
    i = grow_right(symbols, runs, i, run);
    result.push_back(run);
  }
  return result;
}

/// Searches runs in windows where the known runs explain less than half.
Runs search(Symbols symbols, const Scale& scale, const Runs& known) {
  if (symbols.size() < 2 * scale.shortest_period) return known;
  PeriodCandidates candidates(symbols, scale.shortest_period, scale.longest_period);
  Runs all;
  Runs chosen;
  Runs longer;
  auto next = known.begin();
  for (std::size_t begin = 0; begin < symbols.size(); begin += scale.window) {
    const std::size_t end = std::min(begin + scale.window, symbols.size());
    auto from = next == known.begin() ? next : std::prev(next);  // it may reach into the window
    chosen.clear();
    while (next != known.end() && next->first < end) chosen.push_back(*next++);
    if (2 * covered(std::span(from, next), begin, end) < end - begin) {
      for (const std::size_t period : candidates.find(begin, end)) {
        longer.clear();
        append_runs(symbols, begin, end, period, longer);
        choose(chosen, longer);
      }
    }
    all.insert(all.end(), chosen.begin(), chosen.end());
  }
  return all;
}

}  // namespace

std::vector<Repeat> find_repeats(std::span<const std::uint32_t> symbols) {
  Runs runs;
  if (symbols.size() < kFewestSymbols) return {};
  for (const Scale& scale : kScales) runs = joined(symbols, search(symbols, scale, runs));
  std::vector<Repeat> repeats;
  for (PeriodicRun run : runs) {
    run.period = primitive_period(symbols, run);
    if (!run.is_long_enough()) continue;
    repeats.push_back({.first = run.first, .period = run.period, .times = run.times()});
  }
  return repeats;
}

}  // namespace tactus
