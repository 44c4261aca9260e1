#pragma once

#include <string_view>

#include "base/progress.h"
#include "run/builder.h"
#include "sources/bytes/input_bytes.h"

namespace tactus::perfetto {

/// True if the first bytes of an input (up to 64 KiB) are packets of a trace of Perfetto.
bool is_trace(std::string_view head);

/// Reads the track events of a trace: slices, instants, counters, their tracks and flows.
Status import(InputBytes& bytes, RunBuilder& builder, Progress& progress);

}  // namespace tactus::perfetto
