#pragma once

#include "sources/nsys/database/events/devices.h"
#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// Counters that were sampled on the devices.
void read_gpu_metrics(Reading& reading, const DeviceOfMetrics& devices);

}  // namespace tactus::nsys
