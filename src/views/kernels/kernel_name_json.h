#pragma once

#include <optional>

#include "kernels/trace/call_lines.h"
#include "names/kernel_name.h"
#include "views/common/json.h"

namespace tactus {

/// Adds the facts in a kernel's name to an object: family, operator, library, dtypes, tile, stages,
/// cluster, split_k, source and a few more. Unknown values are null.
void add_kernel_name(Json& object, const KernelName& name);

/// A line of code that was running; null if none is known.
Json call_line_json(const std::optional<CallLine>& line);

}  // namespace tactus
