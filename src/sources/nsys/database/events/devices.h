#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// From the number of a device in its metrics to its number in events.
using DeviceOfMetrics = std::map<std::int64_t, std::int64_t>;

/// Adds the devices of the machine to the run, and their properties to the source.
DeviceOfMetrics read_devices(Reading& reading);

}  // namespace tactus::nsys
