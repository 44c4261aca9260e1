#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/filter.h"
#include "run/run.h"

namespace tactus {

/// A kernel, copy or set, and when the host launched it.
struct DeviceItem {
  std::uint32_t row = 0;   ///< of run.slices
  std::uint32_t loop = 0;  ///< of Loops::loops
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t at_ns = 0;  ///< start of the call that launched it; its own start if calls are
                           ///< unknown
  bool is_kernel = false;
};

/// A host process that uses devices. If a recording shows no host process, the device takes its
/// place.
struct Loop {
  std::uint32_t process = 0;           ///< of run.processes
  std::optional<std::uint32_t> track;  ///< the thread that launches most kernels, if known
  /// Threads of a pool launch in turns: `track` launches too little of the work to have the steps.
  bool is_relayed = false;
  /// DeviceItem::at_ns of its kernels, and `untimed_at_ns`; ascending.
  std::vector<std::int64_t> kernels_at_ns;
  /// Calls that launched kernels or graphs of which the recording has no times; ascending.
  std::vector<std::int64_t> untimed_at_ns;
};

struct Loops {
  std::vector<Loop> loops;       ///< by process
  std::vector<DeviceItem> work;  ///< by row
};

/// How many of these ascending times are in [from, to).
std::size_t count_between(const std::vector<std::int64_t>& at_ns, std::int64_t from_ns,
                          std::int64_t to_ns);

/// Ignores the times of the filter: cycles are found in the whole recording.
Loops find_loops(const Run& run, const SliceFilter& filter);

std::uint32_t process_of_track(const Run& run, std::uint32_t track);

inline constexpr std::uint32_t kNoLoop = UINT32_MAX;
/// By process: its loop, kNoLoop if it has none.
std::vector<std::uint32_t> loops_of_processes(const Run& run, const Loops& loops);

}  // namespace tactus
