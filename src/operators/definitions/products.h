#pragma once

#include "operators/definition.h"

namespace tactus {

// Definitions that have a file of their own (moe.cc).
OperatorDefinition fused_moe_definition();
OperatorDefinition fp8_blockscale_fused_moe_definition();

}  // namespace tactus
