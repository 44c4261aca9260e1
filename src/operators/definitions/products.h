#pragma once

#include "operators/definition.h"

namespace tactus {

// Definitions that have their own file (moe.cc).
OperatorDefinition fused_moe_definition();
OperatorDefinition fp8_blockscale_fused_moe_definition();

}  // namespace tactus
