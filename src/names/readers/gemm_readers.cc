#include "names/readers/gemm_readers.h"

#include <array>

#include "names/dtype_words.h"
#include "names/tokens/pieces.h"

namespace tactus::names {
namespace {

/// t bf16, h fp16, s fp32, q fp8: as nvjet names spell types.
std::string_view nvjet_dtype(char letter) {
  switch (letter) {
    case 't': return "bf16";
    case 'h': return "fp16";
    case 's': return "fp32";
    case 'q': return "fp8";
    case 'd': return "fp64";
    case 'o': return "fp4";
    case 'i': return "int8";
    default: return {};
  }
}

/// In "tst" inputs, accumulator and output have one letter each. In "qqtst" and similar, both
/// inputs and the output come first, then accumulator and output.
void read_nvjet_types(std::string_view types, KernelName& name) {
  if (types.size() < 3) return;
  name.dtype_in = nvjet_dtype(types.front());
  name.dtype_out = nvjet_dtype(types.back());
}

void set_stages(KernelName& name, const Sizes& sizes) {
  if (!name.tile) return;
  name.tile->k = sizes.value[0];
  name.stages = sizes.value[1];
}

/// The first of the types in "bf16bf16", "f32f32" or "tf32f32"; removes it. Single letters are not
/// types.
std::string_view take_short_dtype(std::string_view& types) {
  for (std::size_t size = types.size(); size >= 2; --size) {
    const std::string_view dtype = short_dtype(types.substr(0, size));
    if (dtype.empty()) continue;
    types.remove_prefix(size);
    return dtype;
  }
  return {};
}

/// The type at the front of "BBS" or "F8BS", as Tensile spells them; removes it.
std::string_view take_tensile_dtype(std::string_view& types) {
  struct Spelled {
    std::string_view text;
    std::string_view dtype;
  };
  constexpr auto kTypes = std::to_array<Spelled>({{"F8B8", "fp8"},
                                                  {"B8F8", "fp8"},
                                                  {"F8", "fp8"},
                                                  {"B8", "fp8"},
                                                  {"F4", "fp4"},
                                                  {"F6", "fp6"},
                                                  {"I8", "int8"},
                                                  {"B", "bf16"},
                                                  {"H", "fp16"},
                                                  {"S", "fp32"},
                                                  {"D", "fp64"},
                                                  {"I", "int32"}});
  for (const Spelled& known : kTypes) {
    if (!types.starts_with(known.text)) continue;
    types.remove_prefix(known.text.size());
    return known.dtype;
  }
  types.remove_prefix(types.empty() ? 0 : 1);
  return {};
}

}  // namespace

void read_nvjet(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  pieces.next(piece);
  name.era = "cuBLAS 12";
  int sizes_read = 0;
  bool types_read = false;
  while (pieces.next(piece)) {
    if (!types_read && piece.starts_with("sm")) {
      name.era = "cuBLAS >= 13";  // earlier versions do not name the device
      continue;
    }
    if (!types_read) {
      read_nvjet_types(piece, name);
      types_read = true;
      continue;
    }
    if (piece == "splitK") name.split_k = true;
    const Sizes sizes = sizes_of(piece);
    if (sizes.count != 2) continue;
    switch (sizes_read++) {
      case 0: name.tile = tile_of(sizes); break;
      case 1: set_stages(name, sizes); break;
      case 2: name.cluster = {sizes.value[0], sizes.value[1], 1}; break;
      default: break;
    }
  }
}

void read_xmma(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  int types_read = 0;
  while (pieces.next(piece)) {
    if (const auto tile = after(piece, "tilesize")) {
      const Sizes sizes = sizes_of(*tile);
      if (sizes.count == 3) name.tile = tile_of(sizes);
    } else if (auto stage = after(piece, "stage")) {
      name.stages = take_number(*stage);
    } else if (const auto cluster = after(piece, "cluster")) {
      const Sizes sizes = sizes_of(*cluster);
      if (sizes.count == 3) name.cluster = {sizes.value[0], sizes.value[1], sizes.value[2]};
    } else if (piece == "splitK" || piece.starts_with("splitk")) {
      name.split_k = true;
    } else if (const std::string_view dtype = take_short_dtype(piece); !dtype.empty()) {
      // A and D, B and accumulator, ...: e4m3bf16_e4m3f32_f32. Numbers of 32 bits can be multiplied
      // as others: f32f32_tf32f32_f32
      if (types_read == 0) {
        name.dtype_in = dtype;
        name.dtype_out = take_short_dtype(piece);
      }
      if (types_read == 1 && dtype == "tf32") name.dtype_in = dtype;
      ++types_read;
    }
  }
}

void read_splitk_reduce(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  if (args.number(0) && args.number(1)) name.tile = Tile{args.number(0), args.number(1), {}};
  name.dtype_in = args.dtype(3);
  name.dtype_out = args.dtype(4);
}

void read_gemvx(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at + 1);  // gemvx::kernel<...>
  name.dtype_in = args.dtype(2);
  name.dtype_out = args.dtype(4);
}

void read_tensile(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  bool has_inputs = false;  // "Alik": without them it only scales the output before a product
  for (int i = 0; pieces.next(piece); ++i) {
    if (i == 1) has_inputs = piece.size() > 1 && piece.front() == 'A';
    if (i == 3 && !piece.empty()) {
      // "BBS": inputs, output, accumulator; older names write "B_BS", newer ones "F8BS"
      name.dtype_in = take_tensile_dtype(piece);
      name.dtype_out = name.dtype_in;
      const std::string_view out = take_tensile_dtype(piece);
      // The accumulator has more bits. "SB" and "HBH" are older: batched, high precision.
      const bool accumulates = piece == "S" || piece == "D" || piece == "I" || piece == "X";
      if (accumulates || (piece == "H" && out == "fp16")) name.dtype_out = out;
    }
    if (piece.starts_with("PostGSU")) {  // adds up what the parts of a split-K GEMM left
      name.family = Family::kSplitKReduce;
      name.op = "splitk_reduce";
    }
    if (const auto tile = after(piece, "MT"); tile && !name.tile) {
      const Sizes sizes = sizes_of(*tile);
      if (sizes.count == 3) name.tile = tile_of(sizes);
    }
  }
  if (!has_inputs && name.family == Family::kGemm) {
    name.family = Family::kElementwise;
    name.op = "scale";
  }
}

void read_trtllm_bmm(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  for (int i = 0; pieces.next(piece); ++i) {
    if (i == 1) name.dtype_out = short_dtype(piece);
    if (std::string_view types = piece; i == 2) name.dtype_in = take_short_dtype(types);
    if (auto rest = after(piece, "t"); rest && !name.tile) {
      const std::size_t unroll = rest->find('u');
      const Sizes sizes = sizes_of(rest->substr(0, unroll));
      if (sizes.count == 3) name.tile = tile_of(sizes);
    } else if (auto stages = after(piece, "s"); stages && !name.stages) {
      name.stages = take_number(*stages);
    } else if (const auto cluster = after(piece, "cga")) {
      const Sizes sizes = sizes_of(*cluster);
      if (sizes.count == 3) name.cluster = {sizes.value[0], sizes.value[1], sizes.value[2]};
    }
  }
}

void read_matmul_ogs(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  while (pieces.next(piece)) {
    const Sizes sizes = sizes_of(piece);
    if (sizes.count >= 3) {
      name.tile = tile_of(sizes);
      name.split_k = sizes.count == 4 && sizes.value[3] > 1;
    } else if (const std::size_t x = piece.find('x');
               x != std::string_view::npos && name.dtype_in.empty()) {
      // output x input x weights
      name.dtype_out = short_dtype(piece.substr(0, x));
      const std::string_view inputs = piece.substr(x + 1);
      name.dtype_in = short_dtype(inputs.substr(0, inputs.find('x')));
    }
  }
}

void read_router_gemm(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  set_dtype(name, args.dtype(0));
  if (!args.number(1) && !args.dtype(1).empty()) name.dtype_out = args.dtype(1);
  if (tokens[at].text().ends_with("_float_output")) name.dtype_out = "fp32";
}

void read_piece_dtype(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  while (pieces.next(piece) && name.dtype_in.empty()) {
    if (piece.size() > 1) set_dtype(name, short_dtype(piece));
  }
}

}  // namespace tactus::names
