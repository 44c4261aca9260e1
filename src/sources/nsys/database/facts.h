#pragma once

#include <cstdint>

#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// When the capture started, in ns since the epoch; 0 if the database does not say.
std::int64_t capture_start_ns(Reading& reading);
/// How long the capture lasted; 0 if the database does not say.
std::int64_t capture_length_ns(Reading& reading);
/// Names the processes and threads that have events, and their host.
void name_processes(Reading& reading);
/// Counts the events of tables that are not read.
void count_other_tables(Reading& reading);

}  // namespace tactus::nsys
