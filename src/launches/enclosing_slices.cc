#include <algorithm>

#include "launches/host_slices.h"

namespace tactus {

std::vector<LaunchSite> enclosing_slices(const Run& run, std::span<const std::uint32_t> calls,
                                         const ShouldStop& should_stop) {
  std::vector<std::uint32_t> wanted(calls.begin(), calls.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<LaunchSite> sites_of_wanted(wanted.size());

  std::vector<bool> is_call(run.slices.size(), false);
  std::vector<bool> has_calls(run.tracks.size(), false);
  for (const std::uint32_t row : wanted) {
    is_call[row] = true;
    const auto on_track = static_cast<std::size_t>(run.slices.track()[row]);
    if (on_track < has_calls.size()) has_calls[on_track] = true;
  }

  std::vector<OpenHostSlice> stack;
  std::uint32_t track = 0;
  constexpr std::size_t kSlicesBetweenLooks = 1 << 16;
  std::size_t seen = 0;
  for (const HostSlice& slice : host_slices(run, has_calls, is_call, should_stop)) {
    if (++seen % kSlicesBetweenLooks == 0 && asks_to_stop(should_stop)) break;
    if (slice.track != track) stack.clear();
    track = slice.track;
    while (!stack.empty() && stack.back().end <= slice.start) stack.pop_back();
    const OpenHostSlice outer = stack.empty() ? OpenHostSlice() : stack.back();
    if (slice.role == HostRole::kCall) {
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
