#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cycles/cycles.h"
#include "measure/parts.h"
#include "run/filter.h"
#include "run/run.h"

namespace tactus {

/// What the host did while the device idled; empty texts for what is not known.
struct IdlePlace {
  std::string op;      ///< the innermost framework op
  std::string python;  ///< the innermost Python function of the program
  std::string call;    ///< the innermost call into the runtime, the driver or the system
  std::int64_t ns = 0;
  std::int64_t gaps = 0;  ///< gaps of the device in which it occurs
};

/// Idle time of one cause.
struct IdleCause {
  Part part = Part::kUnknownIdle;
  std::int64_t ns = 0;
  std::int64_t gaps = 0;
  std::vector<IdlePlace> places;  ///< longest first; they add up to `ns`
};

/// Why the devices idled: the idle parts of the time that is looked at, by place. Each process
/// counts for itself, also where several share a device.
struct IdleTime {
  std::int64_t span_ns = 0;  ///< from the first work to the last, or the steps; of all processes
  std::int64_t idle_ns = 0;
  std::int64_t gaps = 0;
  std::int64_t longest_ns = 0;    ///< gap
  std::vector<IdleCause> causes;  ///< longest first; they add up to `idle_ns`

  double share() const {
    return span_ns > 0 ? static_cast<double>(idle_ns) / static_cast<double>(span_ns) : 0;
  }
  /// The time of causes that are the host's.
  std::int64_t host_ns() const;
};

/// Looks at the steps of a phase if cycles are given, else at all the time from the first work of
/// each process to its last.
IdleTime find_idle_time(const Run& run, const SliceFilter& filter, const Cycles* cycles = nullptr,
                        std::optional<Phase> phase = std::nullopt);

}  // namespace tactus
