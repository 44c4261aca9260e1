#pragma once

#include <optional>

#include "base/progress.h"
#include "run/run.h"

namespace tactus::sql {

/// By row of run.slices: the next slice around it on its host thread, -1 for none. Only kinds that
/// count enclose or are enclosed. Nothing if it is stopped.
std::optional<Column> enclosing_rows(const Run& run, bool (*counts)(SliceKind),
                                     const ShouldStop& should_stop);

}  // namespace tactus::sql
