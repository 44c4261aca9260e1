#include "sources/align_clocks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tuple>

#include "base/median.h"
#include "run/args/arg_lookup.h"
#include "run/event_view.h"

namespace tactus {
namespace {

/// Fewer points do not tell an offset from the scatter of the ends.
constexpr std::size_t kFewestPoints = 5;
constexpr std::size_t kFewestForDrift = 30;
constexpr std::int64_t kMostSkipped = 64;  // collectives that one rank recorded and the other not
constexpr double kLargestCrystalDrift = 5e-4;  // computer clocks are better than 200 ppm

struct Collective {
  std::string key;      ///< its process group and what it does
  std::int64_t number;  ///< its sequence number, or -1
  std::int64_t end_ns;
};

/// All ranks leave these at the same time. One that only sends may leave early.
bool is_symmetric(std::string_view name) {
  const bool is_library = name.find("nccl") != std::string_view::npos ||
                          name.find("rccl") != std::string_view::npos ||
                          name.find("NCCL") != std::string_view::npos;
  if (!is_library) return false;
  for (const std::string_view kind : {"AllReduce", "AllGather", "ReduceScatter", "AllToAll"}) {
    if (name.find(kind) != std::string_view::npos) return true;
  }
  return false;
}

std::string text_of(const Run& run, const std::optional<Value>& value) {
  if (!value || (value->type != ValueType::kText && value->type != ValueType::kJson)) return {};
  return std::string(run.strings[StringId(static_cast<std::uint64_t>(value->raw))]);
}

/// The collectives of each source, by end.
std::vector<std::vector<Collective>> find_collectives(const Run& run) {
  std::vector<std::uint8_t> is_wanted(run.strings.size(), 0);
  for (std::size_t i = 0; i < is_wanted.size(); ++i) {
    is_wanted[i] = is_symmetric(run.strings[StringId(i)]) ? 1 : 0;
  }
  struct Found {
    SourceId source;
    std::int64_t end_ns;
    std::size_t name;
  };
  std::vector<std::uint32_t> rows;
  std::vector<Found> found;
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kLeaveOut, [](SliceKind kind) { return kind == SliceKind::kKernel; },
      std::array{&slices.name(), &slices.track(), &slices.start(), &slices.dur()},
      [&](std::size_t row, SliceKind, const auto& values) {
        const auto name = static_cast<std::size_t>(values[0]);
        const auto track = static_cast<std::size_t>(values[1]);
        if (name >= is_wanted.size() || is_wanted[name] == 0 || track >= run.tracks.size()) return;
        const Thread& thread = run.threads[run.tracks[track].thread.value];
        rows.push_back(static_cast<std::uint32_t>(row));
        found.push_back(
            {run.processes[thread.process.value].source, wrapping_add(values[2], values[3]), name});
      });
  const auto groups = args_of_slices(run, rows, "Process Group Name");
  const auto members = args_of_slices(run, rows, "Process Group Ranks");
  const auto sequence = args_of_slices(run, rows, "Seq");
  std::vector<std::vector<Collective>> of_source(run.sources.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Collective one{.key = text_of(run, groups[i]) + '\n' + text_of(run, members[i]),
                   .number = -1,
                   .end_ns = found[i].end_ns};
    if (sequence[i] && sequence[i]->type == ValueType::kInt) {
      one.number = sequence[i]->raw;
    } else {
      one.key += '\n' + std::string(run.strings[StringId(found[i].name)]);
    }
    of_source[found[i].source.value].push_back(std::move(one));
  }
  for (auto& list : of_source) {
    std::sort(list.begin(), list.end(),
              [](const Collective& a, const Collective& b) { return a.end_ns < b.end_ns; });
  }
  return of_source;
}

/// The end of one collective by the clock of a source, and what has to be added to it to get the
/// end by the reference.
struct Point {
  std::int64_t at_ns = 0;
  std::int64_t delta_ns = 0;
};
using Points = std::vector<Point>;

std::int64_t median_delta(std::span<const Point> points) {
  std::vector<std::int64_t> deltas;
  for (const Point& point : points) deltas.push_back(point.delta_ns);
  return upper_median(std::move(deltas));
}

/// The usual distance of a point from a line.
std::int64_t residual_of(const Points& points, const Clock& clock) {
  std::vector<std::int64_t> distances;
  for (const Point& point : points) {
    const std::int64_t mapped = wrapping_subtract(clock.to_run(point.at_ns), point.at_ns);
    distances.push_back(std::abs(wrapping_subtract(point.delta_ns, mapped)));
  }
  return upper_median(std::move(distances));
}

void sort_by_time(Points& points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.at_ns < b.at_ns; });
}

/// Those with a sequence number, matched by group and number.
Points match_by_number(const std::vector<Collective>& reference,
                       const std::vector<Collective>& other) {
  std::map<std::pair<std::string_view, std::int64_t>, std::int64_t> ends;
  for (const Collective& one : reference) {
    if (one.number >= 0) ends[{one.key, one.number}] = one.end_ns;
  }
  Points points;
  for (const Collective& one : other) {
    const auto same = ends.find({one.key, one.number});
    if (one.number < 0 || same == ends.end()) continue;
    points.push_back({one.end_ns, wrapping_subtract(same->second, one.end_ns)});
  }
  sort_by_time(points);
  return points;
}

/// Those without a number, matched by their order. One side may have begun to record a few
/// collectives later: the shift under which the ends fit best counts, and of those that fit as well
/// (steps that take the same time) the one that needs the smallest offset.
Points match_by_order(const std::vector<Collective>& reference,
                      const std::vector<Collective>& other) {
  std::vector<const Collective*> sides[2];
  for (const Collective& one : reference) {
    if (one.number < 0) sides[0].push_back(&one);
  }
  for (const Collective& one : other) {
    if (one.number < 0) sides[1].push_back(&one);
  }
  struct Fit {
    Points points;
    std::int64_t residual = 0;
    std::int64_t offset = 0;
  };
  std::vector<Fit> fits;
  for (std::int64_t shift = -kMostSkipped; shift <= kMostSkipped; ++shift) {
    Fit fit;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < sides[1].size(); ++i) {
      const std::int64_t place = static_cast<std::int64_t>(i) + shift;
      if (place < 0 || place >= static_cast<std::int64_t>(sides[0].size())) continue;
      const Collective& mine = *sides[0][static_cast<std::size_t>(place)];
      ++compared;
      if (mine.key != sides[1][i]->key) continue;
      fit.points.push_back(
          {sides[1][i]->end_ns, wrapping_subtract(mine.end_ns, sides[1][i]->end_ns)});
    }
    // Both recorded the same job, so nearly all of them are the same ones.
    if (fit.points.size() < kFewestPoints || 10 * fit.points.size() < 9 * compared) continue;
    fit.offset = median_delta(fit.points);
    fit.residual = residual_of(fit.points, {.offset_ns = fit.offset});
    fits.push_back(std::move(fit));
  }
  if (fits.empty()) return {};
  std::int64_t best = INT64_MAX;
  for (const Fit& fit : fits) best = std::min(best, fit.residual);
  const Fit* chosen = nullptr;
  for (const Fit& fit : fits) {
    if (fit.residual > best + best / 2 + 1000) continue;  // 1 us: ends scatter by that
    if (chosen == nullptr || std::abs(fit.offset) < std::abs(chosen->offset)) chosen = &fit;
  }
  return chosen->points;
}

/// An offset, and a drift if the points show one clearly.
Clock fit_clock(const Points& points) {
  Clock clock{.offset_ns = median_delta(points), .points = points.size(), .method = "collectives"};
  clock.residual_ns = residual_of(points, clock);
  if (points.size() < kFewestForDrift) return clock;
  const std::size_t third = points.size() / 3;
  const std::span<const Point> first = std::span(points).first(third);
  const std::span<const Point> last = std::span(points).last(third);
  const std::int64_t apart = wrapping_subtract(last[third / 2].at_ns, first[third / 2].at_ns);
  if (apart <= 0) return clock;
  const auto growth =
      static_cast<double>(wrapping_subtract(median_delta(last), median_delta(first)));
  Clock drifting = clock;
  drifting.drift = growth / static_cast<double>(apart);
  drifting.since_ns = points[points.size() / 2].at_ns;
  if (!(std::abs(drifting.drift) <= kLargestCrystalDrift)) return clock;
  // The line of the ends, then its height.
  std::vector<std::int64_t> heights;
  for (const Point& point : points) {
    const auto passed = static_cast<double>(wrapping_subtract(point.at_ns, drifting.since_ns));
    heights.push_back(wrapping_subtract(
        point.delta_ns, static_cast<std::int64_t>(std::llround(drifting.drift * passed))));
  }
  drifting.offset_ns = upper_median(std::move(heights));
  drifting.residual_ns = residual_of(points, drifting);
  return 2 * *drifting.residual_ns < *clock.residual_ns ? drifting : clock;
}

bool may_differ(const Run& run, const Source& a, const Source& b) {
  const bool is_named = run.hosts[a.host.value].name.value != 0;
  return a.host != b.host || !is_named;
}

/// Both in one: first through the clock of the reference, which may be aligned to another itself.
Clock clock_by_way_of(const Points& points, const Clock& reference) {
  Points mapped = points;
  for (Point& point : mapped) {
    const std::int64_t end = wrapping_add(point.at_ns, point.delta_ns);
    point.delta_ns = wrapping_subtract(reference.to_run(end), point.at_ns);
  }
  return fit_clock(mapped);
}

}  // namespace

Status align_clocks(Run& run, Alignment alignment) {
  if (alignment == Alignment::kNone) return {};
  std::vector<std::uint32_t> order;  // sources of the job, by rank
  for (std::uint32_t i = 0; i < run.sources.size(); ++i) {
    const Source& source = run.sources[i];
    if (source.kind != "counters" && !source.is_capture) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return run.sources[a].rank.value_or(INT64_MAX) < run.sources[b].rank.value_or(INT64_MAX);
  });
  if (order.size() < 2) return {};
  const std::vector<std::vector<Collective>> collectives = find_collectives(run);

  std::vector<std::uint32_t> aligned = {order.front()};
  std::vector<std::uint32_t> waiting(order.begin() + 1, order.end());
  std::size_t matched = 0;
  while (!waiting.empty()) {
    // A rank may share a process group with another rank than the first: take who fits to anyone.
    std::vector<std::uint32_t> left;
    for (const std::uint32_t which : waiting) {
      bool is_aligned = false;
      for (const std::uint32_t reference : aligned) {
        Points points = match_by_number(collectives[reference], collectives[which]);
        if (points.size() < kFewestPoints) {
          points = match_by_order(collectives[reference], collectives[which]);
        }
        if (points.size() < kFewestPoints) continue;
        const Source& to = run.sources[reference];
        Source& source = run.sources[which];
        Clock clock = clock_by_way_of(points, to.clock);
        const bool is_needed =
            alignment == Alignment::kCollectives ||
            (may_differ(run, source, to) && std::abs(clock.offset_ns) > 3 * *clock.residual_ns);
        if (is_needed) {
          source.clock = clock;
        } else {
          source.clock.points = clock.points;
          source.clock.residual_ns = residual_of(points, Clock());
        }
        is_aligned = true;
        ++matched;
        break;
      }
      if (is_aligned) {
        aligned.push_back(which);
      } else {
        left.push_back(which);
      }
    }
    if (left.size() == waiting.size()) break;
    waiting = std::move(left);
  }
  if (matched == 0 && alignment == Alignment::kCollectives) {
    return input_error(
        "--align collectives: no collectives were found that two of the inputs took part in; "
        "record with the communication kernels (NCCL), or use --align none");
  }
  for (const std::uint32_t which : waiting) {
    if (alignment != Alignment::kCollectives || matched == 0) break;
    run.warnings.push_back(std::string(run.strings[run.sources[which].path]) +
                           ": has no collectives in common with the others; its times are used as "
                           "they were recorded");
  }
  for (Source& source : run.sources) {
    if (source.beside.value < run.sources.size()) {
      source.clock = run.sources[source.beside.value].clock;
    }
  }
  return {};
}

}  // namespace tactus
