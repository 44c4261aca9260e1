#pragma once

#include <span>

#include "operators/definition.h"

namespace tactus {

// The definitions, by kind; one file per kind. Described in docs/operators.md.
std::span<const OperatorDefinition> norm_definitions();
std::span<const OperatorDefinition> quantisation_definitions();
std::span<const OperatorDefinition> elementwise_definitions();  ///< activations, conv, sums
std::span<const OperatorDefinition> rope_definitions();         ///< and the cache write
std::span<const OperatorDefinition> routing_definitions();      ///< of MoE; top-k filter
std::span<const OperatorDefinition> product_definitions();      ///< matrix products, MoE
std::span<const OperatorDefinition> attention_definitions();
std::span<const OperatorDefinition> delta_rule_definitions();

}  // namespace tactus
