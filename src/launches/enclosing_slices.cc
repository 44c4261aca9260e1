#include <algorithm>

#include "launches/host_slices.h"

namespace tactus {
namespace {

/// Finds numbers in a sorted list. Most are asked for one after the other.
class Places {
 public:
  explicit Places(std::span<const std::uint32_t> sorted) : sorted_(sorted) {}

  std::size_t of(std::uint32_t number) {
    if (next_ >= sorted_.size() || sorted_[next_] != number) {
      next_ = static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), number) -
                                       sorted_.begin());
    }
    return next_++;
  }

 private:
  std::span<const std::uint32_t> sorted_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<LaunchSite> enclosing_slices(const Run& run, std::span<const std::uint32_t> calls,
                                         const ShouldStop& should_stop) {
  std::vector<std::uint32_t> wanted(calls.begin(), calls.end());
  if (!std::is_sorted(wanted.begin(), wanted.end())) std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<LaunchSite> sites_of_wanted(wanted.size());

  std::vector<bool> is_call(run.slices.size(), false);
  std::vector<bool> has_calls(run.tracks.size(), false);
  for (const std::uint32_t row : wanted) {
    is_call[row] = true;
    const auto on_track = static_cast<std::size_t>(run.slices.track()[row]);
    if (on_track < has_calls.size()) has_calls[on_track] = true;
  }

  Places places(wanted);
  std::vector<OpenHostSlice> stack;
  const auto see = [&](std::uint32_t, std::span<const HostSlice> slices) {
    stack.clear();
    for (const HostSlice& slice : slices) {
      while (!stack.empty() && stack.back().end <= slice.start) stack.pop_back();
      const OpenHostSlice outer = stack.empty() ? OpenHostSlice() : stack.back();
      if (slice.role == HostRole::kCall) {
        LaunchSite& site = sites_of_wanted[places.of(slice.row)];
        site = outer.site;
        site.call = slice.row;
      } else {
        stack.push_back(opened(outer, slice));
      }
    }
  };
  for_each_host_thread(run, has_calls, is_call, see, should_stop);

  if (std::equal(calls.begin(), calls.end(), wanted.begin(), wanted.end())) return sites_of_wanted;
  std::vector<LaunchSite> sites;
  sites.reserve(calls.size());
  for (const std::uint32_t row : calls) sites.push_back(sites_of_wanted[places.of(row)]);
  return sites;
}

}  // namespace tactus
