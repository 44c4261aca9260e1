#pragma once

#include <optional>
#include <string_view>

#include "bounds/costs/cost.h"
#include "hardware/profile.h"

namespace tactus {

/// What limits the speed of a shape.
enum class Limit : std::uint8_t { kCompute, kMemory, kLaunch, kLink };
inline constexpr std::size_t kLimits = 4;
std::string_view limit_name(Limit limit);
/// The same if the device itself sets the bound; empty if the link to others does.
std::string_view device_limit_name(Limit limit);

/// The least time that a machine needs for a cost.
struct SpeedOfLight {
  double t_ns = 0;               ///< max over the engines, memory and the link, without launching
  Limit limit = Limit::kMemory;  ///< kLaunch if the machine's launch floor is longer than t_ns
};

/// Unknown if the machine lacks a peak that the cost needs; in the strict model only if it has no
/// wider type either.
std::optional<SpeedOfLight> speed_of_light(const Cost& cost, const HardwareProfile& hardware,
                                           CostModel model);

}  // namespace tactus
