#include <algorithm>

#include "launches/host_slices.h"
#include "run/event_view.h"

namespace tactus {
namespace {

/// Shows the pieces of the stretches of one track, from left to right.
class StretchWalk {
 public:
  using See = std::function<void(std::size_t, std::int64_t, std::int64_t, const LaunchSite&)>;
  StretchWalk(std::span<const HostStretch> stretches, const See& see)
      : stretches_(stretches), see_(see) {}

  /// Goes on with the stretches of `track`; those of tracks before it that are left have no site.
  void begin(std::uint32_t track) {
    while (next_ < stretches_.size() && stretches_[next_].track < track) show_rest();
    track_ = track;
    at_ns_ = INT64_MIN;
  }

  /// From where it is to `to_ns`, the thread is at `site`.
  void go_to(std::int64_t to_ns, const LaunchSite& site) {
    if (to_ns <= at_ns_) return;
    while (next_ < stretches_.size() && stretches_[next_].track == track_) {
      const HostStretch& stretch = stretches_[next_];
      if (stretch.start_ns >= to_ns) break;
      const std::int64_t from = std::max(stretch.start_ns, at_ns_);
      const std::int64_t to = std::min(stretch.end_ns, to_ns);
      if (to > from) see_(next_, from, to, site);
      if (stretch.end_ns > to_ns) break;
      ++next_;
    }
    at_ns_ = to_ns;
  }

  void end() {
    while (next_ < stretches_.size()) show_rest();
  }

 private:
  void show_rest() {
    const HostStretch& stretch = stretches_[next_];
    const std::int64_t from =
        stretch.track == track_ ? std::max(stretch.start_ns, at_ns_) : stretch.start_ns;
    if (stretch.end_ns > from) see_(next_, from, stretch.end_ns, {});
    ++next_;
  }

  std::span<const HostStretch> stretches_;
  const See& see_;
  std::size_t next_ = 0;
  std::uint32_t track_ = UINT32_MAX;  ///< none yet
  std::int64_t at_ns_ = INT64_MIN;
};

/// Ends the open slices that end by `time_ns`.
void close_until(std::int64_t time_ns, std::vector<OpenHostSlice>& stack, StretchWalk& walk) {
  while (!stack.empty() && stack.back().end <= time_ns) {
    walk.go_to(stack.back().end, stack.back().site);
    stack.pop_back();
  }
  walk.go_to(time_ns, stack.empty() ? LaunchSite() : stack.back().site);
}

bool is_call_kind(SliceKind kind) {
  return kind == SliceKind::kRuntime || kind == SliceKind::kDriver || kind == SliceKind::kOsRuntime;
}

}  // namespace

void for_each_site(
    const Run& run, std::span<const HostStretch> stretches,
    const std::function<void(std::size_t, std::int64_t, std::int64_t, const LaunchSite&)>& f) {
  std::vector<bool> wanted(run.tracks.size(), false);
  for (const HostStretch& stretch : stretches) wanted[stretch.track] = true;
  std::vector<bool> is_call(run.slices.size(), false);
  for_each_slice(run, Captures::kLeaveOut, is_call_kind, std::array{&run.slices.track()},
                 [&](std::size_t row, SliceKind, const auto&) { is_call[row] = true; });
  StretchWalk walk(stretches, f);
  std::vector<OpenHostSlice> stack;
  std::uint32_t track = UINT32_MAX;
  for (const HostSlice& slice : host_slices(run, wanted, is_call)) {
    if (slice.track != track) {
      close_until(INT64_MAX, stack, walk);
      track = slice.track;
      walk.begin(track);
    }
    close_until(slice.start, stack, walk);
    stack.push_back(opened(stack.empty() ? OpenHostSlice() : stack.back(), slice));
  }
  close_until(INT64_MAX, stack, walk);
  walk.end();
}

}  // namespace tactus
