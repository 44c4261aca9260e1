#include "kernels/trace/device_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/arithmetic.h"
#include "base/interval.h"
#include "run/event_view.h"
#include "run/identity.h"

namespace tactus {
namespace {

/// The stretches in which nothing of `busy` ran.
OtherWork idle_time(std::vector<Interval> busy, std::optional<std::int64_t> device) {
  OtherWork idle{.name = "idle", .kind = "idle", .device = device};
  const std::vector<Interval> stretches = joined(std::move(busy));
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    const std::int64_t gap = stretches[i].begin_ns - stretches[i - 1].end_ns;
    ++idle.instances;
    idle.total_ns += gap;
    idle.max_ns = std::max(idle.max_ns, gap);
  }
  return idle;
}

/// Besides kernels: copies, fills, and waits for either.
bool is_other_work(SliceKind kind) {
  return kind == SliceKind::kMemcpy || kind == SliceKind::kMemset || kind == SliceKind::kSync;
}

}  // namespace

std::vector<OtherWork> other_work(const Run& run, const SliceFilter& filter) {
  const std::vector<bool> tracks = wanted_tracks(run, filter);
  std::map<std::tuple<SliceKind, std::int64_t, std::int64_t>, OtherWork> rows;
  std::map<std::optional<std::int64_t>, std::vector<Interval>> busy;
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kLeaveOut,
      [](SliceKind kind) { return kind == SliceKind::kKernel || is_other_work(kind); },
      std::array{&slices.track(), &slices.start(), &slices.dur(), &slices.name()},
      [&](std::size_t, SliceKind kind, const auto& values) {
        const auto [on_track, start, dur, name] = values;
        const auto track = static_cast<std::size_t>(on_track);
        if (track >= tracks.size() || !tracks[track] || !filter.takes(start)) return;
        const std::optional<std::int64_t> device = device_number(run, run.tracks[track]);
        if (kind != SliceKind::kSync) busy[device].push_back({start, wrapping_add(start, dur)});
        if (kind == SliceKind::kKernel) return;
        OtherWork& work = rows[{kind, device.value_or(-1), name}];
        if (work.instances == 0) {
          work.name = run.strings[StringId(static_cast<std::uint64_t>(name))];
          work.kind = kind_name(kind);
          work.device = device;
        }
        ++work.instances;
        work.total_ns = wrapping_add(work.total_ns, dur);
        work.max_ns = std::max(work.max_ns, dur);
      });
  std::vector<OtherWork> list;
  list.reserve(rows.size() + busy.size());
  for (auto& [key, work] : rows) list.push_back(std::move(work));
  for (auto& [device, stretches] : busy) list.push_back(idle_time(std::move(stretches), device));
  std::stable_sort(list.begin(), list.end(),
                   [](const OtherWork& a, const OtherWork& b) { return a.total_ns > b.total_ns; });
  return list;
}

}  // namespace tactus
