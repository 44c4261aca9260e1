#pragma once

#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// Threads that get and lose a CPU.
void read_scheduling(Reading& reading);
/// Samples of the code that threads were running.
void read_cpu_samples(Reading& reading);
/// Allocations of device memory.
void read_memory_usage(Reading& reading);

}  // namespace tactus::nsys
