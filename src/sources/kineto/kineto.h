#pragma once

#include "base/progress.h"
#include "run/builder.h"
#include "sources/bytes/input_bytes.h"
#include "sources/kineto/event_reader.h"

namespace tactus::kineto {

/// True if the text looks like a Chrome or Kineto trace.
bool is_trace(std::string_view head);

/// Adds a trace in Chrome's JSON format, as PyTorch's profiler writes it, to a Run. If the text
/// ends too early, everything before that is kept; every loss is counted.
Status import(InputBytes& bytes, const ReadOptions& options, RunBuilder& builder,
              Progress& progress);

}  // namespace tactus::kineto
