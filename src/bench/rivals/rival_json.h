#pragma once

#include <optional>

#include "base/json.h"
#include "bench/results/bench_row.h"

namespace tactus {

/// {"name": "torch_eager", "t_ns": 8200.5, ..., "how": "graph"} or {"name": ..., "skipped": "why"}
Json rival_json(const RivalMeasurement& measurement);

/// The inverse; `name_key` is the key of its name. Nothing if there is no name, or neither a time
/// nor a reason.
std::optional<RivalMeasurement> rival_of_json(const Json& entry, const char* name_key);

}  // namespace tactus
