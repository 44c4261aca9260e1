#pragma once

#include "tactus/operator.h"

namespace tactus {

/// Our kernels for the CPU, through the same interface as any candidate.
const tactus_library_v1& cpu_library();

}  // namespace tactus
