#include <algorithm>
#include <map>
#include <tuple>

#include "base/arithmetic.h"
#include "run/builder.h"

namespace tactus {
namespace {

struct FlowPoint {
  std::int64_t track;
  std::int64_t time;
  std::size_t row;          ///< in Run::flows
  std::int64_t slice = -1;  ///< the slice it is attached to
};

struct SliceOnTrack {
  std::int64_t track;
  std::int64_t start;
  std::int64_t end;
  std::size_t row;
};

/// By track: where its arrows end. An arrow does not say whether its thread is a stream of a
/// device, so a track without slices stands for the other one of its thread.
std::vector<std::uint32_t> tracks_of_arrows(const Run& run) {
  std::vector<bool> has_slices(run.tracks.size(), false);
  run.slices.track().for_each_piece(0, run.slices.size(),
                                    [&](std::size_t, std::span<const std::int64_t> tracks) {
                                      for (const std::int64_t track : tracks)
                                        has_slices[static_cast<std::size_t>(track)] = true;
                                    });
  std::map<std::uint32_t, std::uint32_t> of_thread;  // a track with slices
  for (std::uint32_t track = 0; track < run.tracks.size(); ++track) {
    if (has_slices[track]) of_thread[run.tracks[track].thread.value] = track;
  }
  std::vector<std::uint32_t> found(run.tracks.size());
  for (std::uint32_t track = 0; track < run.tracks.size(); ++track) {
    const auto other = of_thread.find(run.tracks[track].thread.value);
    found[track] = has_slices[track] || other == of_thread.end() ? track : other->second;
  }
  return found;
}

/// The slices of the tracks that flows touch; outer slices come before the slices inside them.
std::vector<SliceOnTrack> slices_of(const Run& run, const std::vector<bool>& wanted) {
  std::vector<SliceOnTrack> slices;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const std::int64_t track = run.slices.track()[row];
    if (!wanted[static_cast<std::size_t>(track)]) continue;
    const std::int64_t start = run.slices.start()[row];
    slices.push_back({track, start, wrapping_add(start, run.slices.dur()[row]), row});
  }
  std::stable_sort(slices.begin(), slices.end(), [](const SliceOnTrack& a, const SliceOnTrack& b) {
    return std::tuple(a.track, a.start, b.end) < std::tuple(b.track, b.start, a.end);
  });
  return slices;
}

/// Attaches each point to the innermost slice around it, else to the next one on its track.
/// Both lists are sorted by track and time.
void attach(std::vector<FlowPoint>& points, const std::vector<SliceOnTrack>& slices) {
  std::vector<const SliceOnTrack*> open;
  std::size_t next = 0;
  for (FlowPoint& point : points) {
    while (next < slices.size() && std::tuple(slices[next].track, slices[next].start) <=
                                       std::tuple(point.track, point.time)) {
      while (!open.empty() &&
             (open.back()->track != slices[next].track || open.back()->end < slices[next].start)) {
        open.pop_back();
      }
      open.push_back(&slices[next++]);
    }
    while (!open.empty() && (open.back()->track != point.track || open.back()->end < point.time)) {
      open.pop_back();
    }
    if (!open.empty()) {
      point.slice = static_cast<std::int64_t>(open.back()->row);
    } else if (next < slices.size() && slices[next].track == point.track) {
      point.slice = static_cast<std::int64_t>(slices[next].row);
    }
  }
}

}  // namespace

void build_flow_links(Run& run) {
  if (run.flows.empty()) return;
  std::vector<FlowPoint> points;
  std::vector<bool> wanted(run.tracks.size(), false);
  const std::vector<std::uint32_t> place_of = tracks_of_arrows(run);
  for (std::size_t row = 0; row < run.flows.size(); ++row) {
    const std::int64_t track = place_of[static_cast<std::size_t>(run.flows.track()[row])];
    wanted[static_cast<std::size_t>(track)] = true;
    points.push_back({.track = track, .time = run.flows.start()[row], .row = row});
  }
  std::stable_sort(points.begin(), points.end(), [](const FlowPoint& a, const FlowPoint& b) {
    return std::tuple(a.track, a.time) < std::tuple(b.track, b.time);
  });
  attach(points, slices_of(run, wanted));
  std::stable_sort(points.begin(), points.end(),
                   [](const FlowPoint& a, const FlowPoint& b) { return a.time < b.time; });

  // Category, id and source identify an arrow.
  std::map<std::tuple<std::uint32_t, std::int64_t, int, std::int64_t>, std::int64_t> tails;
  std::vector<std::pair<std::int64_t, std::int64_t>> arrows;  // (to, from)
  for (const FlowPoint& point : points) {
    const std::optional<Value> id = run.arg(run.flows, point.row, "@id");
    if (!id || point.slice < 0) continue;
    const Track& track = run.tracks[static_cast<std::size_t>(point.track)];
    const SourceId source = run.processes[run.threads[track.thread.value].process.value].source;
    const std::tuple key(source.value, run.flows.category()[point.row], static_cast<int>(id->type),
                         id->raw);
    const std::optional<Value> phase = run.arg(run.flows, point.row, "@ph");
    const std::string_view ph =
        phase ? run.strings[StringId(static_cast<std::uint64_t>(phase->raw))] : "";
    const auto tail = tails.find(key);
    if (ph != "s" && tail != tails.end()) arrows.emplace_back(point.slice, tail->second);
    if (ph != "f") tails[key] = point.slice;
  }
  std::sort(arrows.begin(), arrows.end());
  for (const auto& [to, from] : arrows) {
    run.links.append({static_cast<std::int64_t>(LinkKind::kFlow), from, to});
  }
}

}  // namespace tactus
