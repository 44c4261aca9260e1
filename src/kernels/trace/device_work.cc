#include "kernels/trace/device_work.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/arithmetic.h"

namespace tactus {
namespace {

struct Busy {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// The intervals in which nothing of `busy` ran.
OtherWork idle_time(std::vector<Busy>& busy, std::optional<std::int64_t> device) {
  std::sort(busy.begin(), busy.end(),
            [](const Busy& a, const Busy& b) { return a.start < b.start; });
  OtherWork idle{.name = "idle", .kind = "idle", .device = device};
  std::int64_t end = busy.front().end;
  for (const Busy& next : busy) {
    if (next.start > end) {
      const std::int64_t gap = next.start - end;
      ++idle.instances;
      idle.total_ns += gap;
      idle.max_ns = std::max(idle.max_ns, gap);
    }
    end = std::max(end, next.end);
  }
  return idle;
}

bool is_other_work(SliceKind kind) {
  return kind == SliceKind::kMemcpy || kind == SliceKind::kMemset || kind == SliceKind::kSync;
}

}  // namespace

std::vector<OtherWork> other_work(const Run& run, const SliceFilter& filter) {
  const std::vector<bool> tracks = wanted_tracks(run, filter);
  std::map<std::tuple<SliceKind, std::int64_t, std::int64_t>, OtherWork> rows;
  std::map<std::optional<std::int64_t>, std::vector<Busy>> busy;
  run.slices.category().for_each_piece(
      0, run.own_slices(), [&](std::size_t first, std::span<const std::int64_t> categories) {
        for (std::size_t i = 0; i < categories.size(); ++i) {
          const SliceKind kind = run.kind_of(categories[i]);
          if (kind != SliceKind::kKernel && !is_other_work(kind)) continue;
          const std::size_t row = first + i;
          const auto track = static_cast<std::size_t>(run.slices.track()[row]);
          const std::int64_t start = run.slices.start()[row];
          if (track >= tracks.size() || !tracks[track]) continue;
          if (filter.from_ns && start < *filter.from_ns) continue;
          if (filter.to_ns && start >= *filter.to_ns) continue;
          const std::int64_t dur = run.slices.dur()[row];
          const std::optional<std::int64_t> device = run.tracks[track].device;
          if (kind != SliceKind::kSync) busy[device].push_back({start, wrapping_add(start, dur)});
          if (kind == SliceKind::kKernel) continue;
          const std::int64_t name = run.slices.name()[row];
          OtherWork& work = rows[{kind, device.value_or(-1), name}];
          if (work.instances == 0) {
            work.name = run.strings[StringId(static_cast<std::uint64_t>(name))];
            work.kind = kind_name(kind);
            work.device = device;
          }
          ++work.instances;
          work.total_ns = wrapping_add(work.total_ns, dur);
          work.max_ns = std::max(work.max_ns, dur);
        }
      });
  std::vector<OtherWork> list;
  for (auto& [key, work] : rows) list.push_back(std::move(work));
  for (auto& [device, stretches] : busy) list.push_back(idle_time(stretches, device));
  std::stable_sort(list.begin(), list.end(),
                   [](const OtherWork& a, const OtherWork& b) { return a.total_ns > b.total_ns; });
  return list;
}

}  // namespace tactus
