#include "launches/host_slices.h"

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

}  // namespace

std::vector<HostSlice> host_slices(const Run& run, const std::vector<bool>& wanted_tracks,
                                   const std::vector<bool>& is_call,
                                   const ShouldStop& should_stop) {
  FrameRoles frame_roles(run);
  std::vector<HostSlice> slices;
  const Column& tracks = run.slices.track();
  const Column& starts = run.slices.start();
  const Column& durs = run.slices.dur();
  const Column& names = run.slices.name();
  run.slices.category().for_each_piece(
      0, run.slices.size(), [&](std::size_t first, std::span<const std::int64_t> categories) {
        if (asks_to_stop(should_stop)) return;
        for (std::size_t i = 0; i < categories.size(); ++i) {
          const std::size_t row = first + i;
          const SliceKind kind = run.kind_of(categories[i]);
          if (kind != SliceKind::kCpuOp && kind != SliceKind::kPython && !is_call[row]) continue;
          const auto track = static_cast<std::size_t>(tracks[row]);
          if (track >= wanted_tracks.size() || !wanted_tracks[track]) continue;
          const HostRole role = is_call[row]                ? HostRole::kCall
                                : kind == SliceKind::kCpuOp ? HostRole::kOp
                                                            : frame_roles.of(names[row]);
          if (role == HostRole::kNone) continue;
          slices.push_back({static_cast<std::uint32_t>(track), starts[row],
                            wrapping_add(starts[row], durs[row]), static_cast<std::uint32_t>(row),
                            role});
        }
      });
  if (asks_to_stop(should_stop)) return {};
  // The outer slice comes first; with equal times, frames enclose ops, and ops enclose calls.
  sort_runs(slices, [](const HostSlice& a, const HostSlice& b) {
    return std::tuple(a.track, a.start, b.end, a.role, a.row) <
           std::tuple(b.track, b.start, a.end, b.role, b.row);
  });
  return slices;
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
