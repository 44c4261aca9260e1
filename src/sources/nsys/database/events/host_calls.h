#pragma once

#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// Calls of the CUDA runtime and driver, and of the libraries traced with them.
void read_cuda_calls(Reading& reading);
/// Calls into the operating system's libraries.
void read_os_calls(Reading& reading);
/// Work of the profiler itself in the program's threads.
void read_profiler_overhead(Reading& reading);

}  // namespace tactus::nsys
