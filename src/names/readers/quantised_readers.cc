#include "names/readers/quantised_readers.h"

#include "names/dtype_words.h"
#include "names/guess/hints.h"
#include "names/tokens/pieces.h"
#include "names/tokens/qualified_name.h"

namespace tactus::names {
namespace {

/// The id of vLLM's ScalarType (csrc/core/scalar_type.hpp) has its fields side by side, the first
/// one in the lowest bits: exponent 8, mantissa 8, signed 1, bias 32, finite 1, NaNs 8.
std::string_view scalar_type_dtype(std::int64_t id) {
  const auto exponent = static_cast<int>(id & 0xFF);
  const auto mantissa = static_cast<int>(id >> 8 & 0xFF);
  const bool is_signed = (id >> 16 & 1) != 0;
  const int bits = exponent + mantissa + (is_signed ? 1 : 0);
  if (exponent == 0) {
    if (bits == 8) return is_signed ? "int8" : "uint8";
    return bits == 4 ? (is_signed ? "int4" : "uint4") : std::string_view();
  }
  switch (bits) {
    case 16: return exponent == 8 ? "bf16" : "fp16";
    case 8: return "fp8";
    case 6: return "fp6";
    case 4: return "fp4";
    default: return {};
  }
}

std::string_view type_argument(const TemplateArgs& args, std::size_t i) {
  constexpr std::int64_t kSmallestId = 1 << 16;  // below are numbers of threads and bits
  const std::optional<std::int64_t> id = args.wide_number(i);
  if (!id) return args.dtype(i);
  return *id < kSmallestId ? std::string_view() : scalar_type_dtype(*id);
}

bool has_piece(std::string_view word, std::string_view wanted) {
  Pieces pieces(word);
  for (std::string_view piece; pieces.next(piece);) {
    if (piece == wanted) return true;
  }
  return false;
}

/// What follows "pertoken", "per1x32", "blockscale" and similar: "Fp8", "Fp4Fp6" (both inputs).
std::string_view scaled_dtype(std::string_view piece) {
  for (const std::string_view scaling :
       {"pertoken", "perToken", "pertensor", "perTensor", "per1x32", "per1x128", "blockscale"}) {
    std::string_view types = piece;
    if (!types.starts_with(scaling)) continue;
    types.remove_prefix(scaling.size());
    for (std::size_t size = types.size(); size > 1; --size) {
      if (const auto dtype = short_dtype(types.substr(0, size)); !dtype.empty()) return dtype;
    }
  }
  return {};
}

/// The number after an option: 8 in "..._BLOCK_SIZE_M_8_..."
std::optional<int> option(std::string_view word, std::string_view name) {
  const std::size_t at = word.find(name);
  if (at == std::string_view::npos) return {};
  std::string_view rest = word.substr(at + name.size());
  return take_number(rest);
}

}  // namespace

void read_marlin(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.dtype_in = type_argument(args, 0);
  const bool has_ids = args.wide_number(0).has_value();
  name.dtype_out = has_ids ? type_argument(args, 2) : name.dtype_in;
}

void read_deep_gemm(const NameTokens& tokens, std::size_t, KernelName& name) {
  const QualifiedName called = outer_name(tokens);
  const std::string_view word = called.own;
  const TemplateArgs args(tokens, called.end - 1);
  std::array<std::string_view, 3> types{};  // A, B, D; versions for one type have none
  std::size_t types_read = 0;
  for (std::size_t i = 0; i < args.size() && types_read < types.size(); ++i) {
    const bool is_type = !args.number(i) && !args.dtype(i).empty();
    if (is_type) types[types_read++] = args.dtype(i);
  }
  Pieces pieces(word);
  for (std::string_view piece; pieces.next(piece) && name.dtype_in.empty();) {
    if (piece.size() > 1) name.dtype_in = short_dtype(piece);  // sm90_fp8_gemm_..., sm100_bf16_...
  }
  if (types_read == types.size()) {
    name.dtype_in = types[0];
    name.dtype_out = types[2];
  }
  // The scales are per row or per block of A and of B.
  const bool is_scaled = has_piece(word, "1d1d") || has_piece(word, "1d2d");
  const Hint* hint = hint_for(word);
  name.family = hint == nullptr ? Family::kOther : hint->family;
  name.op = hint == nullptr ? "" : is_scaled ? "block_scaled_mm" : hint->op;
  if (name.family != Family::kGemm) return;
  constexpr std::int64_t kNormal = 0;
  constexpr std::int64_t kBatched = 4;  // the others are groups of rows, as experts have them
  const std::size_t type = find_enum(tokens, "GemmType");
  if (type == tokens.size() || tokens[type].number == kNormal || tokens[type].number == kBatched) {
    return;
  }
  name.family = Family::kMoe;
  name.op = "moe_gemm";
}

void read_aiter_quantised(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  bool is_first = true;
  for (std::string_view piece; pieces.next(piece); is_first = false) {
    if (is_first && piece.ends_with("gemm")) {
      for (std::size_t size = piece.size(); size > 1 && name.dtype_in.empty(); --size) {
        name.dtype_in = short_dtype(piece.substr(0, size));
      }
      continue;
    }
    if (const auto scaled = scaled_dtype(piece); !scaled.empty()) name.dtype_in = scaled;
    if (piece == "noquant") name.dtype_in = name.dtype_out;
    if (const auto dtype = short_dtype(piece); !dtype.empty() && name.dtype_out.empty()) {
      name.dtype_out = dtype;
    }
    if (const auto tile = sizes_of(piece); tile.count > 1 && !name.tile) name.tile = tile_of(tile);
  }
}

void read_quantised_types(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TokenRange all = TemplateArgs(tokens, at).all();
  for (std::size_t i = all.begin; i < all.end; ++i) {
    const std::string_view dtype = first_dtype(tokens, {i, i + 1});
    const int bits = number_bits(dtype);
    if (bits == 0) continue;
    if (name.dtype_in.empty()) {
      set_dtype(name, dtype);
    } else if (bits < number_bits(name.dtype_out)) {
      name.dtype_out = dtype;
    }
  }
}

void read_aiter_mla(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  for (std::string_view piece; pieces.next(piece);) {
    if (piece.starts_with("a16w")) name.dtype_in = "bf16";
    if (piece.starts_with("a8w")) name.dtype_in = "fp8";
  }
}

void read_aiter_flatmm(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  for (std::string_view piece; pieces.next(piece);) {
    if (const auto tile = sizes_of(piece); tile.count == 3 && !name.tile) name.tile = tile_of(tile);
    for (const std::string_view out : {"f16", "bf16"}) {
      const auto in = after(piece, out);
      if (!in || short_dtype(*in).empty()) continue;
      name.dtype_in = short_dtype(*in);
      name.dtype_out = short_dtype(out);
    }
  }
}

void read_aiter_triton(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const std::string_view word = tokens[at].text();
  if (has_piece(word, "reduce")) {
    name.family = Family::kSplitKReduce;
    name.op = "splitk_reduce";
    return;
  }
  const bool is_scaled = has_piece(word, "blockscale");
  name.op = is_scaled ? "block_scaled_mm" : "gemm";
  if (is_scaled && has_piece(word, "a8w8")) name.dtype_in = "fp8";
  Pieces pieces(word);
  for (std::string_view piece; pieces.next(piece);) {
    if (const auto dtype = operand_dtype(piece); !dtype.empty()) name.dtype_in = dtype;
  }
  const Tile tile{option(word, "BLOCK_SIZE_M_"), option(word, "BLOCK_SIZE_N_"),
                  option(word, "BLOCK_SIZE_K_")};
  if (tile != Tile{}) name.tile = tile;
}

}  // namespace tactus::names
