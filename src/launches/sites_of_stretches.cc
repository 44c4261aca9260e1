#include <algorithm>
#include <numeric>

#include "launches/host_slices.h"
#include "run/event_view.h"

namespace tactus {
namespace {

/// Shows the pieces of the stretches of one track, from left to right.
class StretchWalk {
 public:
  using See = std::function<void(std::size_t, std::int64_t, std::int64_t, const LaunchSite&)>;
  /// The stretches of the track are those from `next` to `end`.
  StretchWalk(std::span<const HostStretch> stretches, std::size_t next, std::size_t end,
              const See& see)
      : stretches_(stretches), next_(next), end_(end), see_(see) {}

  /// From where it is to `to_ns`, the thread is at `site`.
  void go_to(std::int64_t to_ns, const LaunchSite& site) {
    if (to_ns <= at_ns_) return;
    while (next_ < end_) {
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

 private:
  std::span<const HostStretch> stretches_;
  std::size_t next_;
  std::size_t end_;
  const See& see_;
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
  std::vector<std::size_t> begins(run.tracks.size() + 1, 0);  // of the stretches of each track
  for (const HostStretch& stretch : stretches) ++begins[stretch.track + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<OpenHostSlice> stack;
  const auto see = [&](std::uint32_t track, std::span<const HostSlice> slices) {
    StretchWalk walk(stretches, begins[track], begins[track + 1], f);
    for (const HostSlice& slice : slices) {
      close_until(slice.start, stack, walk);
      stack.push_back(opened(stack.empty() ? OpenHostSlice() : stack.back(), slice));
    }
    close_until(INT64_MAX, stack, walk);
    wanted[track] = false;  // it was seen
  };
  for_each_host_thread(run, std::vector<bool>(wanted), is_call, see);
  for (std::uint32_t track = 0; track < wanted.size(); ++track) {
    if (wanted[track])
      StretchWalk(stretches, begins[track], begins[track + 1], f).go_to(INT64_MAX, {});
  }
}

}  // namespace tactus
