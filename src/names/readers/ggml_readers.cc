#include "names/readers/ggml_readers.h"

namespace tactus::names {

void read_ggml_vector_attention(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.head_dim = args.number(0);
  if (args.number(1) == 1) name.op = "attention_decode";
}

void read_ggml_tile_attention(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.head_dim = args.number(0);
  const std::optional<int> queries = args.number(2);
  name.tile = Tile{queries, {}, {}};
  // No larger tile says anything: a prompt, or new tokens of many sequences.
  constexpr int kSmallestTile = 2;
  if (queries && *queries <= kSmallestTile) name.op = "attention_decode";
}

void read_ggml_get_rows(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.dtype_in = args.dtype(0);
  name.dtype_out = args.dtype(1);
  if (name.dtype_in == "fp32") name.op = "select_rows";
}

}  // namespace tactus::names
