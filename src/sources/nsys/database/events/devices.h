#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// The number that events call a device by, from the number that its metrics do.
using DeviceOfMetrics = std::map<std::int64_t, std::int64_t>;

/// Adds the devices of the machine to the run, and what is known of them to the source.
DeviceOfMetrics read_devices(Reading& reading);

}  // namespace tactus::nsys
