#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/progress.h"
#include "launches/kernel_instances.h"

namespace tactus {

/// The host side of a piece of device work: rows of run.slices, kNoRow where it is not known.
struct LaunchSite {
  std::uint32_t call = kNoRow;    ///< the call that launched it
  std::uint32_t op = kNoRow;      ///< the innermost framework op around the call
  std::uint32_t frame = kNoRow;   ///< the innermost Python frame of the program around it; of
                                  ///< PyTorch's own frames the innermost if there is no other
  std::uint32_t module = kNoRow;  ///< the innermost nn.Module around it
  bool captured = false;          ///< a graph replayed it; the site is that of its capture
};

/// The sites of kernels (rows of run.slices, ascending), in their order. Kernels that a CUDA graph
/// replays get the site of their capture, if the run has the capture. If it is stopped, the sites
/// are not known.
std::vector<LaunchSite> launch_sites(const Run& run, std::span<const std::uint32_t> kernels,
                                     const ShouldStop& should_stop = {});

/// The calls that started kernels (rows of run.slices, ascending), in their order: for a kernel of
/// a graph, the launch of the graph. kNoRow where there is none.
std::vector<std::uint32_t> starting_calls(const Run& run, std::span<const std::uint32_t> kernels);

/// Finds what lies around host calls: ops, Python frames and modules of the same thread.
/// `calls` are rows of run.slices in any order; the sites come back in the same order.
std::vector<LaunchSite> enclosing_slices(const Run& run, std::span<const std::uint32_t> calls,
                                         const ShouldStop& should_stop = {});

/// A stretch of time of a host thread.
struct HostStretch {
  std::uint32_t track = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};
/// Says what a thread did during stretches, which are sorted by track and start and do not overlap:
/// calls f(stretch, from, to, site) for the pieces in which nothing opens or ends. The site's call
/// is the innermost call into the driver, the runtime or the system.
void for_each_site(
    const Run& run, std::span<const HostStretch> stretches,
    const std::function<void(std::size_t, std::int64_t, std::int64_t, const LaunchSite&)>& f);

}  // namespace tactus
