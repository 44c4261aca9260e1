#include "bench/rivals/embedded_rival.h"

#include "base/embedded.h"

namespace tactus {

TACTUS_EMBED(embedded_torch_operators, "../benchmarks/rivals/torch_operators.py");

}  // namespace tactus
