#pragma once

#include "names/rule.h"

namespace tactus::names {

/// ggml: flash_attn_ext_vec<head dim, tokens of a sequence, ...>. One token: a new one.
void read_ggml_vector_attention(const NameTokens& tokens, std::size_t at, KernelName& name);
/// flash_attn_ext_f16<head dim of keys, of values, tokens, heads, ...>: the tile is the smallest
/// that holds the tokens of a sequence, or of all where they share a cache.
void read_ggml_tile_attention(const NameTokens& tokens, std::size_t at, KernelName& name);
/// k_get_rows_float<from, to>: float rows are not embeddings, which are stored in fewer bits, but
/// those of the positions that get a token.
void read_ggml_get_rows(const NameTokens& tokens, std::size_t at, KernelName& name);

/// "f32" in a name: floats, in and out.
void read_ggml_f32(const NameTokens& tokens, std::size_t at, KernelName& name);
/// unary_op_kernel<&(op_silu(float)), T>, unary_gated_op_kernel<&(op_gelu(float)), T>: the function
/// is the operator.
void read_ggml_unary(const NameTokens& tokens, std::size_t at, KernelName& name);
/// k_bin_bcast<&(op_add(float, float)), left, right, result>
void read_ggml_binary(const NameTokens& tokens, std::size_t at, KernelName& name);
/// cpy_scalar<&(cpy_1_scalar<from, to>)>; older ones have cpy_f32_f16<&cpy_1_f32_f16>
void read_ggml_copy(const NameTokens& tokens, std::size_t at, KernelName& name);
/// The first two types among the template arguments are from and to, or one is both.
void read_ggml_from_to(const NameTokens& tokens, std::size_t at, KernelName& name);

}  // namespace tactus::names
