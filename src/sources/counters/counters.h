#pragma once

#include <string_view>

#include "base/progress.h"
#include "base/result.h"
#include "run/builder.h"
#include "sources/bytes/input_bytes.h"

namespace tactus::counters {

/// True if the header names timestamp_ns, counter, device and value.
bool is_samples(std::string_view head);

/// Adds counter samples to the run's `counters`, in the order of the file:
///
///     timestamp_ns,counter,device,value
///     1794707064543764933,gpu_usage,GPU 0,66
Status import(InputBytes& bytes, RunBuilder& builder, Progress& progress);

}  // namespace tactus::counters
