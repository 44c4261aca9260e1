#include <algorithm>
#include <tuple>

#include "base/arithmetic.h"
#include "launches/launch_sites.h"
#include "names/python_frame.h"

namespace tactus {
namespace {

enum class Role : std::uint8_t { kFrame, kModule, kPlumbing, kOp, kCall, kNone };

/// A slice of a host thread, or one of the calls in question.
struct HostSlice {
  std::uint32_t track = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t row = 0;
  Role role = Role::kNone;
};

/// The role of a Python frame, from its name; each name is looked at once.
class FrameRoles {
 public:
  explicit FrameRoles(const Run& run) : run_(run), known_(run.strings.size(), kUnknown) {}

  Role of(std::int64_t name) {
    const auto index = static_cast<std::size_t>(name);
    if (index >= known_.size()) return Role::kNone;
    if (known_[index] == kUnknown) known_[index] = static_cast<std::uint8_t>(look_at(index));
    return static_cast<Role>(known_[index]);
  }

 private:
  static constexpr std::uint8_t kUnknown = 255;

  Role look_at(std::size_t name) const {
    switch (read_python_frame(run_.strings[StringId(name)]).kind) {
      case PythonFrame::Kind::kModule: return Role::kModule;
      case PythonFrame::Kind::kProgram: return Role::kFrame;
      case PythonFrame::Kind::kPlumbing: return Role::kPlumbing;
      case PythonFrame::Kind::kBuiltIn: break;
    }
    return Role::kNone;
  }

  const Run& run_;
  std::vector<std::uint8_t> known_;
};

/// Sources write ops and calls in the order of time, one kind after the other: a few sorted runs
/// are merged, anything else is sorted.
template <class T, class Less>
void sort_runs(std::vector<T>& values, const Less& less) {
  constexpr std::size_t kMostRuns = 8;
  std::vector<std::size_t> ends;  // of the runs
  for (auto at = values.begin(); at != values.end() && ends.size() <= kMostRuns;) {
    at = std::is_sorted_until(at, values.end(), less);
    ends.push_back(static_cast<std::size_t>(at - values.begin()));
  }
  if (ends.size() > kMostRuns) {
    std::sort(values.begin(), values.end(), less);
    return;
  }
  const auto place = [&](std::size_t index) {
    return values.begin() + static_cast<std::ptrdiff_t>(index);
  };
  for (std::size_t i = 1; i < ends.size(); ++i) {
    std::inplace_merge(values.begin(), place(ends[i - 1]), place(ends[i]), less);
  }
}

/// The slices that can enclose one of the calls, and the calls, in the order of time per track.
std::vector<HostSlice> host_slices(const Run& run, std::span<const std::uint32_t> calls) {
  std::vector<bool> is_call(run.slices.size(), false);
  std::vector<bool> has_calls(run.tracks.size(), false);
  const Column& tracks = run.slices.track();
  for (const std::uint32_t row : calls) {
    is_call[row] = true;
    const auto track = static_cast<std::size_t>(tracks[row]);
    if (track < has_calls.size()) has_calls[track] = true;
  }
  FrameRoles frame_roles(run);
  std::vector<HostSlice> slices;
  const Column& starts = run.slices.start();
  const Column& durs = run.slices.dur();
  const Column& names = run.slices.name();
  run.slices.category().for_each_piece(
      0, run.slices.size(), [&](std::size_t first, std::span<const std::int64_t> categories) {
        for (std::size_t i = 0; i < categories.size(); ++i) {
          const std::size_t row = first + i;
          const SliceKind kind = run.kind_of(categories[i]);
          if (kind != SliceKind::kCpuOp && kind != SliceKind::kPython && !is_call[row]) continue;
          const auto track = static_cast<std::size_t>(tracks[row]);
          if (track >= has_calls.size() || !has_calls[track]) continue;
          const Role role = is_call[row]                ? Role::kCall
                            : kind == SliceKind::kCpuOp ? Role::kOp
                                                        : frame_roles.of(names[row]);
          if (role == Role::kNone) continue;
          slices.push_back({static_cast<std::uint32_t>(track), starts[row],
                            wrapping_add(starts[row], durs[row]), static_cast<std::uint32_t>(row),
                            role});
        }
      });
  // The outer slice comes first; with equal times, frames enclose ops, and ops enclose calls.
  sort_runs(slices, [](const HostSlice& a, const HostSlice& b) {
    return std::tuple(a.track, a.start, b.end, a.role, a.row) <
           std::tuple(b.track, b.start, a.end, b.role, b.row);
  });
  return slices;
}

/// An open slice and the innermost slice of each kind around it.
struct OpenSlice {
  std::int64_t end = 0;
  LaunchSite site;
  bool frame_is_plumbing = true;
};

OpenSlice opened(const OpenSlice& outer, const HostSlice& slice) {
  OpenSlice open = outer;
  open.end = slice.end;
  switch (slice.role) {
    case Role::kOp: open.site.op = slice.row; break;
    case Role::kModule: open.site.module = slice.row; break;
    case Role::kFrame:
      open.site.frame = slice.row;
      open.frame_is_plumbing = false;
      break;
    case Role::kPlumbing:
      if (open.frame_is_plumbing) open.site.frame = slice.row;
      break;
    case Role::kCall:
    case Role::kNone: break;
  }
  return open;
}

}  // namespace

std::vector<LaunchSite> enclosing_slices(const Run& run, std::span<const std::uint32_t> calls) {
  std::vector<std::uint32_t> wanted(calls.begin(), calls.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<LaunchSite> sites_of_wanted(wanted.size());

  std::vector<OpenSlice> stack;
  std::uint32_t track = 0;
  for (const HostSlice& slice : host_slices(run, wanted)) {
    if (slice.track != track) stack.clear();
    track = slice.track;
    while (!stack.empty() && stack.back().end <= slice.start) stack.pop_back();
    const OpenSlice outer = stack.empty() ? OpenSlice() : stack.back();
    if (slice.role == Role::kCall) {
      const auto at = std::lower_bound(wanted.begin(), wanted.end(), slice.row);
      LaunchSite& site = sites_of_wanted[static_cast<std::size_t>(at - wanted.begin())];
      site = outer.site;
      site.call = slice.row;
    } else {
      stack.push_back(opened(outer, slice));
    }
  }

  std::vector<LaunchSite> sites;
  sites.reserve(calls.size());
  for (const std::uint32_t row : calls) {
    const auto at = std::lower_bound(wanted.begin(), wanted.end(), row);
    sites.push_back(sites_of_wanted[static_cast<std::size_t>(at - wanted.begin())]);
  }
  return sites;
}

}  // namespace tactus
