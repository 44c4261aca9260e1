#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/arithmetic.h"

namespace tactus {

/// Clocks of computers drift by less than this; more is damage.
inline constexpr double kLargestDrift = 0.01;

/// How the time of a source maps to the time of the run. Files keep the time of the source; it is
/// mapped when a column is read.
struct Clock {
  std::int64_t offset_ns = 0;
  double drift = 0;                         ///< seconds that are to be added per second
  std::int64_t since_ns = 0;                ///< the time of the source at which the drift is 0
  std::uint64_t points = 0;                 ///< that offset and drift were fitted to
  std::optional<std::int64_t> residual_ns;  ///< how far a point usually is from the fit
  std::string method;  ///< "collectives"; empty if the time of the source is used as it is

  bool changes_times() const { return offset_ns != 0 || drift != 0; }

  std::int64_t to_run(std::int64_t time_ns) const {
    std::int64_t mapped = wrapping_add(time_ns, offset_ns);
    if (drift != 0) {
      const auto passed = static_cast<double>(wrapping_subtract(time_ns, since_ns));
      mapped = wrapping_add(mapped, static_cast<std::int64_t>(std::llround(drift * passed)));
    }
    return mapped;
  }
};

}  // namespace tactus
