#include "launches/launch_sites.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "launches/captured_launches.h"
#include "run/event_view.h"

namespace tactus {
namespace {

enum class Replay : std::uint8_t {
  kNo,
  kCaptured,  ///< by a graph whose capture is known
  kUnknown,   ///< by a graph; nothing else is known
};

/// Replaces graph launches among the calls by the calls that captured the kernels.
std::vector<Replay> replace_graph_launches(const Run& run, std::span<const std::uint32_t> kernels,
                                           std::vector<std::uint32_t>& calls) {
  std::vector<Replay> replayed(kernels.size(), Replay::kNo);
  std::map<std::uint32_t, std::vector<std::size_t>> replays;  // graph launch -> its kernels
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (calls[i] == kNoRow) continue;
    const StringId api(static_cast<std::uint64_t>(run.slices.name()[calls[i]]));
    if (is_graph_launch(run.strings[api])) replays[calls[i]].push_back(i);
  }
  if (replays.empty()) return replayed;

  const CapturedLaunches captured(run);
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> known;  // by names
  for (auto& [launch, members] : replays) {
    std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(run.slices.start()[kernels[a]], a) <
             std::tuple(run.slices.start()[kernels[b]], b);
    });
    std::vector<std::uint32_t> names;
    for (const std::size_t member : members) {
      names.push_back(static_cast<std::uint32_t>(run.slices.name()[kernels[member]]));
    }
    const auto [at, is_new] = known.try_emplace(std::move(names));
    if (is_new) at->second = captured.match(at->first);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const bool is_known = at->second[i] != kNoRow;
      replayed[members[i]] = is_known ? Replay::kCaptured : Replay::kUnknown;
      if (is_known) calls[members[i]] = at->second[i];
    }
  }
  return replayed;
}

}  // namespace

std::vector<std::uint32_t> starting_calls(const Run& run, std::span<const std::uint32_t> kernels) {
  std::vector<std::uint32_t> calls(kernels.size(), kNoRow);
  std::size_t next = 0;
  // Links are sorted by target, kernels by row: they are walked side by side.
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) {
    while (next < kernels.size() && kernels[next] < work) ++next;
    if (next < kernels.size() && kernels[next] == work) calls[next] = call;
  });
  return calls;
}

std::vector<LaunchSite> launch_sites(const Run& run, std::span<const std::uint32_t> kernels,
                                     const ShouldStop& should_stop) {
  std::vector<std::uint32_t> calls = starting_calls(run, kernels);
  if (asks_to_stop(should_stop)) return std::vector<LaunchSite>(kernels.size());
  const std::vector<Replay> replayed = replace_graph_launches(run, kernels, calls);

  if (asks_to_stop(should_stop)) return std::vector<LaunchSite>(kernels.size());
  std::vector<std::uint32_t> known;
  for (const std::uint32_t call : calls) {
    if (call != kNoRow) known.push_back(call);
  }
  const std::vector<LaunchSite> sites_of_known = enclosing_slices(run, known, should_stop);
  std::vector<LaunchSite> sites(kernels.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (calls[i] == kNoRow) continue;
    sites[i] = sites_of_known[next++];
    sites[i].captured = replayed[i] == Replay::kCaptured;
    // The code that launches a graph did not write its kernels.
    if (replayed[i] == Replay::kUnknown) sites[i] = {.call = calls[i]};
  }
  return sites;
}

}  // namespace tactus
