#include "names/readers/cutlass_readers.h"

#include "names/dtype_words.h"
#include "names/tokens/pieces.h"

namespace tactus::names {
namespace {

/// The accumulator's letter: "s" of s16816gemm. Complex numbers go by their parts.
std::string_view accumulator_dtype(char letter) {
  switch (letter) {
    case 's':
    case 'c': return "fp32";
    case 'd':
    case 'z': return "fp64";
    case 'h': return "fp16";
    case 'i': return "int32";
    default: return {};
  }
}

/// The types in <C>_<core>_<A>: the core begins with the accumulator's letter, and a type is left
/// out if it is that of the accumulator. s1688tf32gemm also says how numbers are multiplied.
class BlasTypes {
 public:
  void add(std::string_view piece) {
    if (!has_core_ && read_core(piece)) return;
    const std::string_view dtype = piece.size() > 1 ? short_dtype(piece) : std::string_view();
    if (dtype.empty()) return;
    std::string_view& type = has_core_ ? in_ : out_;
    if (type.empty()) type = dtype;
  }

  void set(KernelName& name) const {
    name.dtype_in = !in_.empty() ? in_ : !multiplied_.empty() ? multiplied_ : accumulator_;
    name.dtype_out = out_.empty() ? accumulator_ : out_;
  }

 private:
  bool read_core(std::string_view piece) {
    for (const std::string_view end : {"gemm", "cudnn", "fprop", "dgrad", "wgrad"}) {
      if (!piece.ends_with(end)) continue;
      has_core_ = true;
      piece.remove_suffix(end.size());
      if (piece.starts_with("gc") || piece.starts_with("gz")) piece.remove_prefix(1);  // Gauss
      if (piece.empty()) return true;
      accumulator_ = accumulator_dtype(piece.front());
      piece.remove_prefix(1);
      if (piece.ends_with("sp")) piece.remove_suffix(2);  // sparse
      const std::size_t type = piece.find_first_not_of("0123456789x");
      if (type != std::string_view::npos) multiplied_ = short_dtype(piece.substr(type));
      return true;
    }
    return false;
  }

  bool has_core_ = false;
  std::string_view accumulator_;
  std::string_view multiplied_;
  std::string_view in_;
  std::string_view out_;
};

void set_stages(KernelName& name, const Sizes& sizes) {
  if (!name.tile) return;
  name.tile->k = sizes.value[0];
  name.stages = sizes.value[1];
}

/// "bf16", "ue4m3xe2m1" (scales and numbers), "1x128f32xe4m3" (blocks of a scale, both types)
std::string_view dtype_with_scale(std::string_view piece) {
  const std::size_t x = piece.rfind('x');
  return short_dtype(x == std::string_view::npos ? piece : piece.substr(x + 1));
}

}  // namespace

void read_cublas(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  BlasTypes types;
  bool stages_next = false;
  while (pieces.next(piece)) {
    if (piece == "stages") stages_next = true;
    if (piece == "splitK") name.split_k = true;
    types.add(piece);
    const Sizes sizes = sizes_of(piece);
    if (sizes.count < 2) continue;
    if (stages_next) {
      set_stages(name, sizes);
    } else if (!name.tile) {
      name.tile = tile_of(sizes);
    }
  }
  types.set(name);
}

void read_cutlass2(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  BlasTypes types;
  while (pieces.next(piece)) {
    types.add(piece);
    const Sizes sizes = sizes_of(piece);
    if (sizes.count != 2) continue;
    if (!name.tile) {
      name.tile = tile_of(sizes);
    } else if (!name.stages) {
      set_stages(name, sizes);
    }
  }
  types.set(name);
}

void read_cutlass3_name(const NameTokens& tokens, std::size_t at, KernelName& name) {
  Pieces pieces(tokens[at].text());
  std::string_view piece;
  while (pieces.next(piece) && piece.find("gemm") == std::string_view::npos) {
  }
  constexpr int kD = 4;  // after A, B, accumulator and C
  int types_read = 0;
  bool after_sizes = false;
  while (pieces.next(piece)) {
    const Sizes sizes = sizes_of(piece);
    if (sizes.count == 3 && !name.tile) {
      name.tile = tile_of(sizes);
    } else if (sizes.count == 3 && !name.cluster) {
      name.cluster = {sizes.value[0], sizes.value[1], sizes.value[2]};
    } else if (name.tile && !after_sizes) {
      after_sizes = true;
      const std::optional<int> stages = take_number(piece);
      if (stages && *stages > 0 && piece.empty()) name.stages = stages;  // 0: as many as fit
    }
    if (name.tile) continue;
    const std::string_view dtype = dtype_with_scale(piece);
    if (dtype.empty() && piece != "void") continue;
    if (types_read == 0) name.dtype_in = dtype;
    if (types_read == kD) name.dtype_out = dtype;
    ++types_read;
  }
}

void read_cutlass3(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const std::size_t mma = tokens.find("CollectiveMma", at);
  if (mma == tokens.size()) return;
  const TemplateArgs args(tokens, mma);  // policy, tile shape, A, strides of A, B, ...
  std::array<int, 8> policy{};
  const std::size_t told = numbers_in(tokens, args[0], policy);
  if (told >= 4) {
    name.stages = policy[0];
    name.cluster = {policy[told - 3], policy[told - 2], policy[told - 1]};
  }
  std::array<int, 3> tile{};
  if (numbers_in(tokens, args[1], tile) == 3) name.tile = Tile{tile[0], tile[1], tile[2]};
  name.dtype_in = args.dtype(2);
  const std::size_t epilogue = tokens.find("CollectiveEpilogue", at);
  if (epilogue == tokens.size()) return;
  const TemplateArgs out(tokens, epilogue);
  for (std::size_t i = 1; i < out.size() && name.dtype_out.empty(); ++i) {
    name.dtype_out = out.dtype(i);
  }
}

void read_vllm_cutlass(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.dtype_in = args.dtype(0);
  name.dtype_out = args.dtype(1);
}

void read_vllm_cutlass_fp8(const NameTokens& tokens, std::size_t at, KernelName& name) {
  name.dtype_in = "fp8";
  name.dtype_out = TemplateArgs(tokens, at).dtype(0);
}

}  // namespace tactus::names
