#include "measure/idle_time.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/interval.h"
#include "launches/launch_sites.h"
#include "measure/trace_work.h"

namespace tactus {
namespace {

/// By process: its number among those with device work.
std::vector<std::uint32_t> number_processes(const Run& run, const Loops& loops) {
  std::vector<std::uint32_t> numbers(run.processes.size(), kNoIndex);
  for (std::size_t i = 0; i < loops.loops.size(); ++i) {
    numbers[loops.loops[i].process] = static_cast<std::uint32_t>(i);
  }
  return numbers;
}

/// The times of each process to look at, in order, without overlaps.
std::vector<std::vector<Interval>> windows_of(const std::vector<RankWork>& work,
                                              const std::vector<std::uint32_t>& numbers,
                                              const SliceFilter& filter, const Cycles* cycles,
                                              std::optional<Phase> phase) {
  std::vector<std::vector<Interval>> windows(work.size());
  if (cycles != nullptr) {
    for (const Cycle& cycle : cycles->cycles) {
      if (phase && cycle.phase != *phase) continue;
      const std::uint32_t number = numbers[cycle.process];
      if (number == kNoIndex || cycle.dur_ns <= 0) continue;
      windows[number].push_back({cycle.start_ns, wrapping_add(cycle.start_ns, cycle.dur_ns)});
    }
    for (std::vector<Interval>& list : windows) list = joined(std::move(list));
  } else {
    for (std::size_t i = 0; i < work.size(); ++i) {
      if (work[i].pieces.empty()) continue;
      Interval all{work[i].pieces.front().start_ns, INT64_MIN};
      for (const DevicePiece& piece : work[i].pieces) {
        all.end_ns = std::max(all.end_ns, piece.end_ns);
      }
      windows[i].push_back(all);
    }
  }
  for (std::vector<Interval>& list : windows) {
    for (Interval& window : list) {
      window.begin_ns = std::max(window.begin_ns, filter.from_ns.value_or(INT64_MIN));
      window.end_ns = std::min(window.end_ns, filter.to_ns.value_or(INT64_MAX));
    }
    std::erase_if(list, [](const Interval& window) { return window.end_ns <= window.begin_ns; });
  }
  return windows;
}

/// A place by the ids of its names.
using PlaceKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // op, frame, call
struct PlaceTime {
  std::int64_t ns = 0;
  std::int64_t gaps = 0;
  std::int64_t last_gap_end_ns = INT64_MIN;
};

/// Adds up idle stretches by part and place.
class IdleSum {
 public:
  explicit IdleSum(const Run& run) : run_(run) {}

  void add(Part part, std::int64_t ns, std::int64_t gap_end_ns, const LaunchSite& site) {
    const auto name_of = [&](std::uint32_t row) {
      return row == kNoRow ? kNoIndex : static_cast<std::uint32_t>(run_.slices.name()[row]);
    };
    const PlaceKey key{name_of(site.op), name_of(site.frame), name_of(site.call)};
    add_to(cause(part).places[key], ns, gap_end_ns);
    add_to(cause(part).all, ns, gap_end_ns);
  }

  std::vector<IdleCause> causes() const {
    std::vector<IdleCause> list;
    for (const auto& [part, sums] : causes_) {
      IdleCause& cause = list.emplace_back(
          IdleCause{.part = part, .ns = sums.all.ns, .gaps = sums.all.gaps, .places = {}});
      for (const auto& [key, time] : sums.places) {
        cause.places.push_back({.op = text(std::get<0>(key)),
                                .python = text(std::get<1>(key)),
                                .call = text(std::get<2>(key)),
                                .ns = time.ns,
                                .gaps = time.gaps});
      }
      std::stable_sort(cause.places.begin(), cause.places.end(),
                       [](const IdlePlace& a, const IdlePlace& b) { return a.ns > b.ns; });
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const IdleCause& a, const IdleCause& b) { return a.ns > b.ns; });
    return list;
  }

 private:
  struct Sums {
    PlaceTime all;
    std::map<PlaceKey, PlaceTime> places;
  };
  Sums& cause(Part part) { return causes_[part]; }
  static void add_to(PlaceTime& time, std::int64_t ns, std::int64_t gap_end_ns) {
    time.ns += ns;
    if (gap_end_ns != time.last_gap_end_ns) ++time.gaps;
    time.last_gap_end_ns = gap_end_ns;
  }
  std::string text(std::uint32_t name) const {
    return name == kNoIndex ? "" : std::string(run_.strings[StringId(name)]);
  }

  const Run& run_;
  std::map<Part, Sums> causes_;
};

/// An idle stretch of a thread that is known, and the gap that it belongs to.
struct KnownStretch {
  HostStretch where;
  Part part = Part::kUnknownIdle;
  std::int64_t gap_end_ns = 0;
};

/// Counts gaps, and gives stretches of unknown threads to `sum`; the others come back by track.
std::vector<KnownStretch> sort_stretches(const std::vector<IdleStretch>& stretches,
                                         const HostCalls& calls, IdleTime& idle, IdleSum& sum) {
  std::vector<KnownStretch> known;
  for (std::size_t i = 0; i < stretches.size();) {
    std::size_t end = i + 1;
    while (end < stretches.size() && stretches[end].start_ns == stretches[end - 1].end_ns) ++end;
    const std::int64_t gap_end = stretches[end - 1].end_ns;
    ++idle.gaps;
    idle.longest_ns = std::max(idle.longest_ns, gap_end - stretches[i].start_ns);
    for (; i < end; ++i) {
      const IdleStretch& stretch = stretches[i];
      idle.idle_ns += stretch.end_ns - stretch.start_ns;
      // After the launch, the thread may do anything: the device is not waiting for it.
      if (stretch.thread == UINT32_MAX || stretch.part == Part::kLaunchDelay) {
        sum.add(stretch.part, stretch.end_ns - stretch.start_ns, gap_end, {});
      } else {
        known.push_back({{calls.track_of_thread[stretch.thread], stretch.start_ns, stretch.end_ns},
                         stretch.part,
                         gap_end});
      }
    }
  }
  return known;
}

}  // namespace

std::int64_t IdleTime::host_ns() const {
  std::int64_t sum = 0;
  for (const IdleCause& cause : causes) {
    if (is_host_part(cause.part) && cause.part != Part::kUnknownIdle) sum += cause.ns;
  }
  return sum;
}

IdleTime find_idle_time(const Run& run, const SliceFilter& filter, const Cycles* cycles,
                        std::optional<Phase> phase) {
  const Loops loops = find_loops(run, filter);
  const std::vector<std::uint32_t> numbers = number_processes(run, loops);
  const HostCalls calls = read_host_calls(run);
  PartsOfNames parts(run);
  const std::vector<RankWork> work =
      read_device_work(run, loops, calls, numbers, loops.loops.size(), parts);
  const auto windows = windows_of(work, numbers, filter, cycles, phase);
  IdleTime idle;
  IdleSum sum(run);
  std::vector<KnownStretch> known;
  for (std::size_t i = 0; i < work.size(); ++i) {
    std::vector<IdleStretch> stretches;
    StepParts cutter(work[i].pieces, calls.threads);
    cutter.keep_idle(stretches);
    for (const Interval& window : windows[i]) {
      idle.span_ns += window.end_ns - window.begin_ns;
      cutter.next(window.begin_ns, window.end_ns);
    }
    const std::vector<KnownStretch> found = sort_stretches(stretches, calls, idle, sum);
    known.insert(known.end(), found.begin(), found.end());
  }
  std::stable_sort(known.begin(), known.end(), [](const KnownStretch& a, const KnownStretch& b) {
    return std::tuple(a.where.track, a.where.start_ns) <
           std::tuple(b.where.track, b.where.start_ns);
  });
  std::vector<HostStretch> where;
  where.reserve(known.size());
  for (const KnownStretch& stretch : known) where.push_back(stretch.where);
  for_each_site(run, where,
                [&](std::size_t i, std::int64_t from, std::int64_t to, const LaunchSite& site) {
                  sum.add(known[i].part, to - from, known[i].gap_end_ns, site);
                });
  idle.causes = sum.causes();
  return idle;
}

}  // namespace tactus
