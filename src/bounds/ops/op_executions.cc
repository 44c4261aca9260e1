#include "bounds/ops/op_executions.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace tactus {

OpExecutions::OpExecutions(std::span<const LaunchSite> sites) {
  // A graph may replay the kernels of an op many times: the n-th kernel of a call belongs to the
  // n-th replay.
  std::vector<std::uint32_t> turn(sites.size(), 0);
  std::unordered_map<std::uint32_t, std::uint32_t> turns;  // of calls
  const bool has_replays =
      std::any_of(sites.begin(), sites.end(), [](const LaunchSite& site) { return site.captured; });
  for (std::uint32_t i = 0; i < sites.size(); ++i) {
    if (sites[i].op == kNoRow) continue;
    if (has_replays) turn[i] = turns[sites[i].call]++;
    kernels_.push_back(i);
  }
  const auto key = [&](std::uint32_t i) { return std::tuple(sites[i].op, turn[i]); };
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); };
  if (!std::is_sorted(kernels_.begin(), kernels_.end(), before)) {
    std::stable_sort(kernels_.begin(), kernels_.end(), before);
  }
  for (std::size_t first = 0; first < kernels_.size();) {
    std::size_t end = first + 1;
    while (end < kernels_.size() && key(kernels_[end]) == key(kernels_[first])) ++end;
    const std::uint32_t op = sites[kernels_[first]].op;
    executions_.push_back({op, std::span(kernels_).subspan(first, end - first)});
    if (ops_.empty() || ops_.back() != op) ops_.push_back(op);
    first = end;
  }
}

}  // namespace tactus
