#pragma once

#include <string_view>

#include "base/progress.h"
#include "run/builder.h"
#include "sources/bytes/input_bytes.h"

namespace tactus::rocprof {

/// True if the first bytes of an input (up to 64 KiB) are JSON of rocprofv3.
bool is_rocprof(std::string_view head);

/// Reads `rocprofv3 --output-format json`: kernels, copies, calls and markers. Each process of the
/// file is a source.
Status import(InputBytes& bytes, RunBuilder& builder, Progress& progress);

}  // namespace tactus::rocprof
