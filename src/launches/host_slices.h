#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "launches/launch_sites.h"
#include "run/run.h"

namespace tactus {

/// What a slice of a host thread is to the work that is launched inside it. With equal times, the
/// outer one comes first.
enum class HostRole : std::uint8_t { kFrame, kModule, kPlumbing, kOp, kCall, kNone };

struct HostSlice {
  std::uint32_t track = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t row = 0;
  HostRole role = HostRole::kNone;
};

/// Ops and Python frames of the threads that are `wanted`, and the rows of `is_call`; per track in
/// the order of time, the outer slice first. None if it is stopped.
std::vector<HostSlice> host_slices(const Run& run, const std::vector<bool>& wanted_tracks,
                                   const std::vector<bool>& is_call,
                                   const ShouldStop& should_stop = {});

/// An open slice and the innermost slice of each kind around it.
struct OpenHostSlice {
  std::int64_t end = 0;
  LaunchSite site;
  bool frame_is_plumbing = true;
};
OpenHostSlice opened(const OpenHostSlice& outer, const HostSlice& slice);

}  // namespace tactus
