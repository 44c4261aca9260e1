#include "names/readers/attention_readers.h"

#include <cctype>

#include "names/dtype_words.h"
#include "names/tokens/pieces.h"

namespace tactus::names {
namespace {

void read_flash2_traits(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const std::size_t traits = tokens.find("Flash_fwd_kernel_traits", at);
  if (traits == tokens.size()) return;
  const TemplateArgs args(tokens, traits);
  name.head_dim = args.number(0);
  name.tile = Tile{args.number(1), args.number(2), args.number(0)};
  set_dtype(name, first_dtype(tokens, args.all()));
}

/// The text between a beginning and the next capital letter or digit that starts another word.
std::string_view camel_word(std::string_view text, std::string_view beginning) {
  const std::size_t found = text.find(beginning);
  if (found == std::string_view::npos) return {};
  text.remove_prefix(found + beginning.size());
  std::size_t end = text.empty() ? 0 : 1;
  while (end < text.size() && std::isupper(static_cast<unsigned char>(text[end])) == 0) ++end;
  return text.substr(0, end);
}

std::optional<int> number_after(std::string_view text, std::string_view beginning) {
  for (std::size_t found = text.find(beginning); found != std::string_view::npos;
       found = text.find(beginning, found + 1)) {
    std::string_view rest = text.substr(found + beginning.size());
    if (const std::optional<int> number = take_number(rest)) return number;
  }
  return {};
}

}  // namespace

void read_flash2(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_flash2_traits(tokens, at, name);
  const TemplateArgs args(tokens, at);  // traits, dropout, causal, ...
  if (args.number(2)) name.causal = args.flag(2);
}

void read_flash2_splitkv(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_flash2_traits(tokens, at, name);
  const TemplateArgs args(tokens, at);
  if (args.number(1)) name.causal = args.flag(1);
  // The last but one says whether the keys are split; a later version added a flag before it.
  name.kv_split = args.size() >= 8 && args.flag(args.size() - 2);
  if (name.kv_split) name.op = "attention_decode";
}

void read_flash2_combine(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_flash2_traits(tokens, at, name);
  name.tile.reset();
}

void read_flash3(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const std::size_t mainloop = tokens.find("CollectiveMainloopFwdSm90", at);
  if (mainloop == tokens.size()) return;
  const TemplateArgs args(tokens, mainloop);
  name.stages = args.number(0);
  std::array<int, 3> sizes{};
  if (numbers_in(tokens, args[1], sizes) == 3) name.cluster = sizes;
  if (numbers_in(tokens, args[2], sizes) == 3) {
    name.tile = Tile{sizes[0], sizes[1], sizes[2]};
    name.head_dim = sizes[2];
  }
  name.dtype_in = args.dtype(4);
  const std::size_t epilogue = tokens.find("CollectiveEpilogueFwd", mainloop);
  name.dtype_out =
      epilogue == tokens.size() ? name.dtype_in : TemplateArgs(tokens, epilogue).dtype(2);
  if (args.number(7)) name.causal = args.flag(7);
  name.kv_split = args.flag(17);
  name.op = name.kv_split ? "attention_decode" : "attention_prefill";
}

void read_flash3_combine(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  std::array<int, 2> sizes{};
  if (numbers_in(tokens, args[0], sizes) == 2) {
    name.tile = Tile{sizes[0], sizes[1], {}};
    name.head_dim = sizes[1];
  }
  // Element and accumulator come behind the numbers: fp32 parts become elements.
  for (std::size_t i = 3; i < args.size(); ++i) {
    const std::string_view dtype = args.dtype(i);
    if (dtype.empty()) continue;
    if (name.dtype_out.empty()) {
      name.dtype_out = dtype;
    } else {
      name.dtype_in = dtype;
      break;
    }
  }
}

void read_flash3_prepare(const NameTokens& tokens, std::size_t at, KernelName& name) {
  name.warps = TemplateArgs(tokens, at).number(0);
  set_dtype(name, "int32");
}

void read_flashinfer_prefill(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const std::size_t traits = tokens.find("KernelTraits", at);
  if (traits == tokens.size()) {
    read_dtype(tokens, at, name);
    return;
  }
  const TemplateArgs args(tokens, traits);
  const std::optional<int> mask = args.number(0);
  if (mask) {
    name.causal = *mask == 1;
    // Decoding runs through the prefill kernels without a mask: one query sees all keys.
    name.op = *mask == 0 ? "attention_decode" : "attention_prefill";
  }
  name.tile = Tile{args.number(1), {}, {}};
  if (args.number(4)) name.head_dim = *args.number(4) * 16;
  name.dtype_in = args.dtype(9);
  name.dtype_out = args.dtype(11);
}

void read_flashinfer_vector(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.vector_width = args.number(0) ? args.number(0) : args.number(1);
  set_dtype(name, first_dtype(tokens, args.all()));
}

void read_flashinfer_rope(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.head_dim = args.number(1);
  name.vector_width = args.number(2);
  set_dtype(name, first_dtype(tokens, args.all()));
}

void read_cudnn_sdpa(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  while (pieces.next(piece)) {
    if (const auto cluster = after(piece, "cga")) {
      const Sizes sizes = sizes_of(*cluster);
      if (sizes.count == 3) name.cluster = {sizes.value[0], sizes.value[1], sizes.value[2]};
      continue;
    }
    // "f16" means both 16-bit types, so it gives no dtype.
    if (piece == "bf16" || piece == "e4m3") set_dtype(name, short_dtype(piece));
    if (piece == "bprop") name.op = "attention_backward";
    const Sizes sizes = sizes_of(piece);
    if (sizes.count == 3 && !name.tile) {
      name.tile = tile_of(sizes);
      name.head_dim = sizes.value[2];
    }
  }
}

void read_trtllm_fmha(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const std::string_view text = tokens[at].text();
  name.dtype_in = short_dtype(camel_word(text, "_Qkv"));
  if (name.dtype_in.empty()) name.dtype_in = short_dtype(camel_word(text, "_Q"));
  const std::size_t out = text.find(name.dtype_in == "bf16" ? "16O" : "m3O");
  if (out != std::string_view::npos)
    name.dtype_out = short_dtype(camel_word(text.substr(out), "O"));
  std::string_view output = camel_word(text.substr(out == std::string_view::npos ? 0 : out), "O");
  while (!output.empty() && name.dtype_out.empty()) {
    name.dtype_out = short_dtype(output);
    output.remove_suffix(1);
  }
  name.head_dim = number_after(text, "H");
  const std::optional<int> q = number_after(text, "SeqQ");
  name.tile = Tile{q ? q : number_after(text, "Q"), number_after(text, "Kv"), name.head_dim};
  if (text.find("Causal") != std::string_view::npos) name.causal = true;
  name.windowed = text.find("Sliding") != std::string_view::npos;
  if (text.ends_with("Context")) name.op = "attention_prefill";
  if (text.find("ForGen") != std::string_view::npos) name.op = "attention_decode";  // ForGeneration
  name.kv_split = text.find("MultiCtasKv") != std::string_view::npos;
}

void read_efficient_attention(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  while (pieces.next(piece)) {
    if (const std::string_view dtype = short_dtype(piece); !dtype.empty()) set_dtype(name, dtype);
    const Sizes sizes = sizes_of(piece);
    if (sizes.count >= 2) name.tile = tile_of(sizes);
  }
}

}  // namespace tactus::names
