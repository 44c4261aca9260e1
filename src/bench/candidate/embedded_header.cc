#include "bench/candidate/embedded_header.h"

#include "base/embedded.h"

namespace tactus {

TACTUS_EMBED(embedded_operator_header, "../include/tactus/operator.h");

}  // namespace tactus
