#pragma once

#include <cstdint>
#include <string>

#include "operators/definition.h"

namespace tactus {

// Code that the attention operators share; those with one query per sequence are in
// decode_attention.cc.

OperatorDefinition paged_attention_decode_definition();
OperatorDefinition mla_decode_attention_definition();

/// 1 / sqrt(width): the factor of the scores.
double inverse_root(std::int64_t width);

/// Blocks in random order, none twice, also where a table is longer than its sequence.
void draw_blocks(const HostTensor& table, std::int64_t blocks, Random& random);

/// Heads must be a multiple of kv_heads.
std::string kv_head_objection(const ShapeParameters& shape);

}  // namespace tactus
