// How the processes of a recording shared the GPU, and how long their kernels take when nobody
// else is there.
//
// A kernel that loses its turn in the middle has the turns of others in its recorded time; one
// that runs beside others is slower all the time. Neither is to be counted again by a simulation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/replay/launch_trace.h"

namespace tactus::gate {

/// How work of several streams gets its turn.
enum class Sharing : unsigned char {
  kKernels,     ///< one kernel after the other, in the order in which they are ready
  kSlices,      ///< processes by turns of a few ms; within a process as above
  kSideBySide,  ///< a kernel of each process at a time, each slower than alone
};

struct DeviceSharing {
  Sharing sharing = Sharing::kKernels;
  std::int64_t slice_ns = 2'000'000;  ///< of a turn, with the switch to it
  std::int64_t switch_ns = 0;         ///< in which nobody gets on
  /// The same if the turn was given away, for want of work: nothing has to be stopped and kept.
  std::int64_t handover_ns = 0;
  /// How fast a process gets on while others have work, 1: as alone. By process.
  std::map<std::uint32_t, double> rates;
  std::vector<std::string> notes;  ///< what the recording does not show
};

/// What the recording shows; `forced`: the way of sharing is known, only its figures are not.
DeviceSharing find_sharing(const LaunchTrace& trace, std::optional<Sharing> forced = std::nullopt);
/// The same launches with the times of kernels as they were alone; between kernels that were
/// queued, the device's pause is part of them.
LaunchTrace with_own_times(const LaunchTrace& trace, const DeviceSharing& sharing);

}  // namespace tactus::gate
