#include "launches/host_slices.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/arithmetic.h"
#include "launches/sort_runs.h"
#include "names/python_frame.h"

namespace tactus {
namespace {

/// The role of a Python frame, from its name; each name is looked at once.
class FrameRoles {
 public:
  explicit FrameRoles(const Run& run) : run_(run), known_(run.strings.size(), kUnknown) {}

  HostRole of(std::int64_t name) {
    const auto index = static_cast<std::size_t>(name);
    if (index >= known_.size()) return HostRole::kNone;
    if (known_[index] == kUnknown) known_[index] = static_cast<std::uint8_t>(look_at(index));
    return static_cast<HostRole>(known_[index]);
  }

 private:
  static constexpr std::uint8_t kUnknown = 255;

  HostRole look_at(std::size_t name) const {
    switch (read_python_frame(run_.strings[StringId(name)]).kind) {
      case PythonFrame::Kind::kModule: return HostRole::kModule;
      case PythonFrame::Kind::kProgram: return HostRole::kFrame;
      case PythonFrame::Kind::kPlumbing: return HostRole::kPlumbing;
      case PythonFrame::Kind::kBuiltIn: break;
    }
    return HostRole::kNone;
  }

  const Run& run_;
  std::vector<std::uint8_t> known_;
};

/// The rows of a track.
struct TrackRows {
  std::size_t count = 0;
  std::size_t last = 0;
};

std::vector<TrackRows> rows_of_tracks(const Run& run) {
  std::vector<TrackRows> found(run.tracks.size());
  const auto see = [&](std::size_t first, std::span<const std::int64_t> tracks) {
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      const auto track = static_cast<std::size_t>(tracks[i]);
      if (track < found.size()) found[track] = {found[track].count + 1, first + i};
    }
  };
  run.slices.track().for_each_piece(0, run.slices.size(), see);
  return found;
}

/// The outer slice comes first; with equal times, frames enclose ops, and ops enclose calls.
bool is_outer(const HostSlice& a, const HostSlice& b) {
  return std::tuple(a.start, b.end, a.role, a.row) < std::tuple(b.start, a.end, b.role, b.row);
}

}  // namespace

void for_each_host_thread(const Run& run, const std::vector<bool>& wanted_tracks,
                          const std::vector<bool>& is_call,
                          const std::function<void(std::uint32_t, std::span<const HostSlice>)>& f,
                          const ShouldStop& should_stop) {
  if (std::find(wanted_tracks.begin(), wanted_tracks.end(), true) == wanted_tracks.end()) return;
  FrameRoles frame_roles(run);
  const std::vector<TrackRows> rows = rows_of_tracks(run);
  std::vector<std::vector<HostSlice>> threads(run.tracks.size());
  std::vector<HostSlice> spare;  // memory of the thread before
  std::array<std::int64_t, Column::kBlockRows> tracks, starts, durs, names;
  const auto add = [&](std::size_t row, std::size_t i, SliceKind kind) {
    if (kind != SliceKind::kCpuOp && kind != SliceKind::kPython && !is_call[row]) return;
    const HostRole role = is_call[row]                ? HostRole::kCall
                          : kind == SliceKind::kCpuOp ? HostRole::kOp
                                                      : frame_roles.of(names[i]);
    if (role == HostRole::kNone) return;
    const auto track = static_cast<std::size_t>(tracks[i]);
    std::vector<HostSlice>& thread = threads[track];
    if (thread.capacity() == 0) thread.swap(spare);
    if (thread.empty()) thread.reserve(rows[track].count);
    thread.push_back(
        {starts[i], wrapping_add(starts[i], durs[i]), static_cast<std::uint32_t>(row), role});
  };
  const auto finish = [&](std::size_t track) {
    sort_runs(threads[track], is_outer);
    if (!threads[track].empty()) f(static_cast<std::uint32_t>(track), threads[track]);
    threads[track].clear();
    if (threads[track].capacity() > spare.capacity()) threads[track].swap(spare);
    std::vector<HostSlice>().swap(threads[track]);
  };
  run.slices.category().for_each_piece(
      0, run.slices.size(), [&](std::size_t first, std::span<const std::int64_t> categories) {
        if (asks_to_stop(should_stop)) return;
        const EventTable& slices = run.slices;
        slices.track().read(first, std::span(tracks).first(categories.size()));
        slices.start().read(first, std::span(starts).first(categories.size()));
        slices.dur().read(first, std::span(durs).first(categories.size()));
        slices.name().read(first, std::span(names).first(categories.size()));
        for (std::size_t i = 0; i < categories.size(); ++i) {
          const auto track = static_cast<std::size_t>(tracks[i]);
          if (track >= wanted_tracks.size() || !wanted_tracks[track]) continue;
          add(first + i, i, run.kind_of(categories[i]));
          if (rows[track].last == first + i) finish(track);
        }
      });
}

OpenHostSlice opened(const OpenHostSlice& outer, const HostSlice& slice) {
  OpenHostSlice open = outer;
  open.end = slice.end;
  switch (slice.role) {
    case HostRole::kOp: open.site.op = slice.row; break;
    case HostRole::kModule: open.site.module = slice.row; break;
    case HostRole::kFrame:
      open.site.frame = slice.row;
      open.frame_is_plumbing = false;
      break;
    case HostRole::kPlumbing:
      if (open.frame_is_plumbing) open.site.frame = slice.row;
      break;
    case HostRole::kCall: open.site.call = slice.row; break;
    case HostRole::kNone: break;
  }
  return open;
}

}  // namespace tactus
