#pragma once

#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// Threads getting and losing a CPU.
void read_scheduling(Reading& reading);
/// Samples of what threads were running.
void read_cpu_samples(Reading& reading);
/// Allocations of device memory.
void read_memory_usage(Reading& reading);

}  // namespace tactus::nsys
