#include "edit_run/new_times.h"

#include <algorithm>
#include <span>
#include <utility>

#include "cycles/passes/loops.h"

namespace tactus::edit_run {
namespace {

using Points = std::vector<std::pair<std::int64_t, std::int64_t>>;  // old and new time

Warp warp_through(Points points) {
  std::sort(points.begin(), points.end());
  Warp warp;
  for (const auto& [old_ns, new_ns] : points) warp.add(old_ns, new_ns);
  return warp;
}

}  // namespace

NewTimes::NewTimes(const Run& run, const Recording& recording, Replayed replayed)
    : start_ns_(std::move(replayed.start_ns)),
      end_ns_(std::move(replayed.end_ns)),
      warps_(std::move(replayed.warps)) {
  add_warps_of_streams(run, recording);
  assign_tracks(run, recording);
  assign_series(run, recording);
  move_other_slices(run, recording);
}

/// One per stream, and for loops without a host one for all their streams.
void NewTimes::add_warps_of_streams(const Run& run, const Recording& recording) {
  std::vector<Points> of_stream(run.tracks.size());
  std::vector<Points> of_loop(recording.loops.size());
  for (const Work& work : recording.work) {
    const bool has_host = recording.loops[work.loop].main_track != kNone;
    for (Points* points : {&of_stream[work.stream], has_host ? nullptr : &of_loop[work.loop]}) {
      if (points == nullptr) continue;
      points->emplace_back(work.start_ns, start_ns_[work.row]);
      points->emplace_back(work.end_ns, end_ns_[work.row]);
    }
  }
  for (std::size_t loop = 0; loop < of_loop.size(); ++loop) {
    if (!of_loop[loop].empty()) warps_[loop] = warp_through(std::move(of_loop[loop]));
  }
  if (warps_.empty()) warps_.emplace_back();  // no device work: nothing moves
  for (std::uint32_t track = 0; track < of_stream.size(); ++track) {
    if (of_stream[track].empty()) continue;
    warp_of_stream_[track] = static_cast<std::uint32_t>(warps_.size());
    warps_.push_back(warp_through(std::move(of_stream[track])));
  }
}

void NewTimes::assign_tracks(const Run& run, const Recording& recording) {
  std::vector<std::uint32_t> loop_of_process(run.processes.size(), kNone);
  std::vector<std::uint32_t> loop_of_source(run.sources.size(), kNone);
  for (std::uint32_t loop = 0; loop < recording.loops.size(); ++loop) {
    const std::uint32_t process = recording.loops[loop].process;
    loop_of_process[process] = loop;
    std::uint32_t& of_source = loop_of_source[run.processes[process].source.value];
    of_source = std::min(of_source, loop);
  }
  for (std::uint32_t track = 0; track < run.tracks.size(); ++track) {
    const std::uint32_t process = process_of_track(run, track);
    const auto stream = warp_of_stream_.find(track);
    std::uint32_t warp = loop_of_process[process];
    if (warp == kNone) warp = loop_of_source[run.processes[process].source.value];
    if (warp == kNone) warp = 0;
    warp_of_track_.push_back(stream == warp_of_stream_.end() ? warp : stream->second);
  }
}

void NewTimes::assign_series(const Run& run, const Recording& recording) {
  std::vector<std::uint32_t> loop_of_device(run.devices.size(), kNone);
  for (std::uint32_t loop = 0; loop < recording.loops.size(); ++loop) {
    for (const std::uint32_t stream : recording.loops[loop].streams) {
      const DeviceId device = run.tracks[stream].device;
      if (device.value < loop_of_device.size()) loop_of_device[device.value] = loop;
    }
  }
  for (const CounterSeries& series : run.series) {
    std::uint32_t loop = kNone;
    if (series.device.value < loop_of_device.size()) loop = loop_of_device[series.device.value];
    warp_of_series_.push_back(loop == kNone ? 0 : loop);
  }
}

void NewTimes::move_other_slices(const Run& run, const Recording& recording) {
  run.slices.category().for_each_piece(
      0, run.slices.size(), [&](std::size_t first, std::span<const std::int64_t> categories) {
        for (std::size_t i = 0; i < categories.size(); ++i) {
          const std::size_t row = first + i;
          if (start_ns_[row] != kNotReplayed) continue;
          start_ns_[row] = recording.start_ns[row];
          end_ns_[row] = recording.end_ns[row];
          if (run.is_captured(categories[i])) continue;  // of another time
          start_ns_[row] = at_track(recording.track[row], start_ns_[row]);
          end_ns_[row] = at_track(recording.track[row], end_ns_[row]);
        }
      });
}

}  // namespace tactus::edit_run
