#pragma once

#include "base/result.h"

namespace tactus {

/// How many AMD GPUs the HIP runtime of this machine sees; it is loaded for the question. An error
/// says in one line what is missing: the runtime, or a GPU.
Result<int> count_amd_gpus();

}  // namespace tactus
