#include "bench/device/judge_kernels.h"

#include "base/embedded.h"

namespace tactus {

TACTUS_EMBED(judge_kernels_ptx, "../src/bench/device/judge_kernels.ptx");

}  // namespace tactus
