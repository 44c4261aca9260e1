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
  const auto see = [&](std::uint32_t, std::span<const HostSlice> slices) {
    stack.clear();
    for (const HostSlice& slice : slices) {
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
  };
  for_each_host_thread(run, has_calls, is_call, see, should_stop);

  std::vector<LaunchSite> sites;
  sites.reserve(calls.size());
  for (const std::uint32_t row : calls) {
    const auto at = std::lower_bound(wanted.begin(), wanted.end(), row);
    sites.push_back(sites_of_wanted[static_cast<std::size_t>(at - wanted.begin())]);
  }
  return sites;
}

}  // namespace tactus
