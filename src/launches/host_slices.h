#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "launches/launch_sites.h"
#include "run/run.h"

namespace tactus {

/// What a slice of a host thread is to the work that is launched inside it. With equal times, the
/// outer one comes first.
enum class HostRole : std::uint8_t { kFrame, kModule, kPlumbing, kOp, kCall, kNone };

struct HostSlice {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t row = 0;
  HostRole role = HostRole::kNone;
};

/// Calls f(track, slices) for each thread that is wanted and has some: its ops and Python frames,
/// and the rows of `is_call`, in the order of time, the outer slice first. Threads come in the
/// order in which they end in the table, so that the ranks of a job are held one at a time.
void for_each_host_thread(const Run& run, const std::vector<bool>& wanted_tracks,
                          const std::vector<bool>& is_call,
                          const std::function<void(std::uint32_t, std::span<const HostSlice>)>& f,
                          const ShouldStop& should_stop = {});

/// An open slice and the innermost slice of each kind around it.
struct OpenHostSlice {
  std::int64_t end = 0;
  LaunchSite site;
  bool frame_is_plumbing = true;
};
OpenHostSlice opened(const OpenHostSlice& outer, const HostSlice& slice);

}  // namespace tactus
