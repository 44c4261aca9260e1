#pragma once

#include <span>

#include "operators/definition.h"

namespace tactus {

// Operators that occur in any model and are not in the catalogue: what a trace of one's own holds
// besides. Described in docs/operators.md.
std::span<const OperatorDefinition> generic_product_definitions();
std::span<const OperatorDefinition> generic_elementwise_definitions();
std::span<const OperatorDefinition> generic_pair_definitions();
std::span<const OperatorDefinition> generic_reduction_definitions();
std::span<const OperatorDefinition> generic_move_definitions();
std::span<const OperatorDefinition> generic_softmax_definitions();
std::span<const OperatorDefinition> generic_attention_definitions();

}  // namespace tactus
