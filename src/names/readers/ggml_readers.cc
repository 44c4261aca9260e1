#include "names/readers/ggml_readers.h"

#include "names/dtype_words.h"
#include "names/tokens/pieces.h"

namespace tactus::names {
namespace {

/// "silu" of "op_silu", a function among the template arguments; empty if there is none.
std::string_view function_of(const NameTokens& tokens, const TemplateArgs& args) {
  for (std::size_t i = args.all().begin; i < args.all().end; ++i) {
    if (!tokens.is(i, TokenKind::kWord)) continue;
    if (const auto function = after(tokens[i].text(), "op_")) return *function;
  }
  return {};
}

}  // namespace

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

void read_ggml_f32(const NameTokens&, std::size_t, KernelName& name) {
  set_dtype(name, "fp32");
}

void read_ggml_unary(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  set_dtype(name, args.dtype(1));
  std::string_view function = function_of(tokens, args);
  if (function.empty()) return;
  const bool gated = name.op == "act_and_mul";
  const bool activates = gated || function.find("silu") != std::string_view::npos ||
                         function.find("gelu") != std::string_view::npos ||
                         function.find("relu") != std::string_view::npos;
  name.family = activates ? Family::kActivation : Family::kElementwise;
  if (const std::size_t kernel = function.rfind("_kernel"); kernel != std::string_view::npos) {
    function = function.substr(0, kernel);
  }
  name.op = function;
  if (gated) name.op += "_and_mul";
}

void read_ggml_binary(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.dtype_in = args.dtype(1);
  name.dtype_out = args.dtype(3);
  const std::string_view function = function_of(tokens, args);
  if (!function.empty()) name.op = function;
  if (function == "repeat") name.family = Family::kCopy;
}

void read_ggml_copy(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TokenRange all = TemplateArgs(tokens, at).all();
  for (std::size_t i = all.begin; i < all.end; ++i) {
    if (!tokens.is(i, TokenKind::kWord) || !tokens[i].text().starts_with("cpy_1_")) continue;
    const TemplateArgs types(tokens, i);
    name.dtype_in = types.dtype(0);
    name.dtype_out = types.dtype(1);
    Pieces pieces(tokens[i].text());
    for (std::string_view piece; types.size() == 0 && pieces.next(piece);) {
      const std::string_view dtype = short_dtype(piece);
      if (!dtype.empty()) (name.dtype_in.empty() ? name.dtype_in : name.dtype_out) = dtype;
    }
    if (name.dtype_in != name.dtype_out) name.op = "cast";
    return;
  }
}

void read_ggml_from_to(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view dtype = args.dtype(i);
    if (dtype.empty() || args.number(i)) continue;
    if (name.dtype_in.empty()) {
      set_dtype(name, dtype);
    } else {
      name.dtype_out = dtype;
      return;
    }
  }
}

}  // namespace tactus::names
