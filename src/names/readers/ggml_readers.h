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

}  // namespace tactus::names
