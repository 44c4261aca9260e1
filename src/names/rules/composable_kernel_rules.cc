#include <algorithm>

#include "names/rules/tables.h"
#include "names/tokens/pieces.h"

namespace tactus::names {
namespace {

using enum Family;

/// The first dtype anywhere in the name: CK has it deep inside.
void read_any_dtype(const NameTokens& tokens, std::size_t at, KernelName& name) {
  set_dtype(name, first_dtype(tokens, {at, tokens.size()}));
}

bool has_part(const NameTokens& tokens, std::size_t at, std::initializer_list<const char*> parts) {
  for (std::size_t i = at; i < tokens.size(); ++i) {
    if (!tokens.is(i, TokenKind::kWord)) continue;
    for (const char* part : parts) {
      if (tokens[i].text().find(part) != std::string_view::npos) return true;
    }
  }
  return false;
}

/// kernel_gemm...<GridwiseGemm<layouts, A, B, accumulator, shuffled, Tuple<others>, E, ...,
/// (GemmSpecialization)0, threads, M, N, K, ...>>: the types are side by side, the first one is
/// that of the inputs and the last one that of the output. With scales of blocks, the block is
/// between threads and tile.
void read_ck_gemm(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const bool scaled = has_part(tokens, at, {"ABScale", "blockscale", "BlockScale", "blkscale"});
  if (scaled && name.family == kGemm) name.op = "block_scaled_mm";
  std::size_t i = at;
  while (i < tokens.size() && first_dtype(tokens, {i, i + 1}).empty()) ++i;
  if (i == tokens.size()) return;
  name.dtype_in = first_dtype(tokens, {i, i + 1});
  for (; i < tokens.size(); ++i) {
    const bool between = tokens.is(i, TokenKind::kComma) || tokens.is(i, TokenKind::kOpenArgs) ||
                         tokens.is(i, TokenKind::kCloseArgs) || tokens.is_word(i, "ck") ||
                         tokens.is_word(i, "Tuple");
    if (between) continue;
    if (tokens.is_word(i, "_BitInt")) {  // _BitInt(8): fp8 of older versions
      name.dtype_out = "fp8";
      i += 3;
      continue;
    }
    const std::string_view dtype = first_dtype(tokens, {i, i + 1});
    if (dtype.empty()) break;
    name.dtype_out = dtype;
  }
  const std::size_t special = find_enum(tokens, "GemmSpecialization", at);
  std::array<int, 7> numbers{};  // threads, perhaps a block of a scale, tile
  const std::size_t wanted = scaled ? 7 : 4;
  const std::size_t told = numbers_in(tokens, {std::min(special + 1, tokens.size()), tokens.size()},
                                      std::span(numbers).first(wanted));
  if (told == wanted) {
    name.tile = Tile{numbers[wanted - 3], numbers[wanted - 2], numbers[wanted - 1]};
  }
}

/// ck_tile: TileFmhaShape<sequence<M, N, K, ...>, ...>
void read_ck_tile_fmha(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_any_dtype(tokens, at, name);
  const std::size_t shape = tokens.find("TileFmhaShape", at);
  if (shape == tokens.size()) return;
  std::array<int, 6> tile{};
  if (numbers_in(tokens, TemplateArgs(tokens, shape)[0], tile) == 6) {
    name.tile = Tile{tile[0], tile[1], tile[2]};
    name.head_dim = tile[5];
  }
}

/// ck_tile: Rmsnorm2dFwdTraits<..., Rmsnorm2dFusedAddEnum, Rmsnorm2dFusedQuantEnum, ...>
void read_ck_tile_norm(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_any_dtype(tokens, at, name);
  const std::size_t traits = tokens.find("Rmsnorm2dFwdTraits", at);
  if (traits == tokens.size()) return;
  const TemplateArgs args(tokens, traits);
  if (args.flag(5)) {
    name.op = "fused_rmsnorm_quant";
  } else if (args.flag(4)) {
    name.op = "add_rms_norm";
  }
}

constexpr auto kRules = std::to_array<Rule>({
    {"FmhaBatchPrefillWithPagedKVCacheKernel", kAttention, "attention_prefill", kUnknown,
     "void ck_tile::kentry<2, ck_tile::FmhaBatchPrefillWithPagedKVCacheKernel<ck_tile::Pipe>>(int)",
     read_ck_tile_fmha},
    {"FmhaFwdSplitKVCombineKernel", kAttentionCombine, "attention_combine", kUnknown,
     "void ck_tile::kentry<2, ck_tile::FmhaFwdSplitKVCombineKernel<ck_tile::Pipe>>(int)",
     read_ck_tile_fmha},
    {"FmhaFwdSplitKVKernel", kAttention, "attention_decode", kUnknown,
     "void ck_tile::kentry<2, ck_tile::FmhaFwdSplitKVKernel<ck_tile::Pipe>>(int)",
     read_ck_tile_fmha},
    {"FmhaFwdPagedKVKernel", kAttention, "attention", kUnknown,
     "void ck_tile::kentry<2, ck_tile::FmhaFwdPagedKVKernel<ck_tile::Pipe>>(int)",
     read_ck_tile_fmha},
    {"FmhaFwdKernel", kAttention, "attention_prefill", kUnknown,
     "void ck_tile::kentry<2, ck_tile::FmhaFwdKernel<ck_tile::Pipe>>(int)", read_ck_tile_fmha},
    {"FmhaFwdV3Kernel", kAttention, "attention_prefill", kUnknown,
     "void ck_tile::kentry<2, ck_tile::FmhaFwdV3Kernel<ck_tile::Pipe>>(int)", read_ck_tile_fmha},
    {"FmhaFwdAppendKVKernel", kKvWrite, "reshape_and_cache", kUnknown,
     "void ck_tile::kentry<2, ck_tile::FmhaFwdAppendKVKernel<ck_tile::Pipe>>(int)", read_any_dtype},
    {"Rmsnorm2dFwd", kNorm, "rms_norm", kUnknown,
     "_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_4PipeIDF16bEEEEJiEEEvDpT1_", read_ck_tile_norm},
    {"Layernorm2dFwd", kNorm, "layer_norm", kUnknown,
     "void ck_tile::kentry<1, ck_tile::Layernorm2dFwd<ck_tile::Pipe>>(int)", read_any_dtype},
    {"AddRmsnorm2dRdquantFwd", kNorm, "fused_rmsnorm_quant", kUnknown,
     "void ck_tile::kentry<1, ck_tile::AddRmsnorm2dRdquantFwd<ck_tile::Pipe>>(int)",
     read_any_dtype},
    {"MoeSortingKernel", kMoe, "moe_count_and_sort", kUnknown,
     "void ck_tile::kentry<1, ck_tile::MoeSortingKernel<ck_tile::Problem>>(int)", read_any_dtype},
    {"MoeSortingMultiPhaseKernel*", kMoe, "moe_count_and_sort", kUnknown,
     "void ck_tile::kentry<1, ck_tile::MoeSortingMultiPhaseKernel_P23<ck_tile::Problem>>(int)",
     read_any_dtype},
    {"TopkSoftmaxKernel", kMoe, "moe_topk_gating_softmax", kUnknown,
     "void ck_tile::kentry<1, ck_tile::TopkSoftmaxKernel<ck_tile::Pipe>>(int)", read_any_dtype},
    {"Smoothquant", kQuantise, "quantise_int8", kUnknown,
     "void ck_tile::kentry<1, ck_tile::Smoothquant<ck_tile::Pipe>>(int)", read_any_dtype},
    {"MoeSmoothquant", kQuantise, "quantise_int8", kUnknown,
     "void ck_tile::kentry<1, ck_tile::MoeSmoothquant<ck_tile::Pipe>>(int)", read_any_dtype},
    {"MoeFlatmmKernel", kMoe, "moe_gemm", kUnknown,
     "void ck_tile::kentry<1, ck_tile::MoeFlatmmKernel<ck_tile::Pipe>>(int)", read_any_dtype},
    {"FusedMoeGemmKernel", kMoe, "moe_gemm", kUnknown,
     "void ck_tile::kentry<1, ck_tile::FusedMoeGemmKernel<ck_tile::Pipe>>(int)", read_any_dtype},
    {"kernel_moe_gemm*", kMoe, "moe_gemm", kUnknown,
     "void ck::kernel_moe_gemm_2lds<ck::GridwiseMoeGemm<ck::bhalf_t>, true>(int)", read_ck_gemm},
    {"kernel_moe_mxgemm*", kMoe, "moe_gemm", kUnknown,
     "void ck::kernel_moe_mxgemm_2lds<ck::GridwiseMoeGemm<ck::bhalf_t>, true>(int)", read_ck_gemm},
    {"kernel_batched_gemm*", kGemm, "gemm", kUnknown,
     "void ck::kernel_batched_gemm_xdl_cshuffle_v3_multi_d<ck::Gridwise<ck::bhalf_t>>(int)",
     read_ck_gemm},
    {"kernel_gemm*", kGemm, "gemm", kUnknown,
     "void ck::kernel_gemm_xdl_cshuffle_v3_multi_d<ck::Gridwise<ck::bhalf_t>, true>(int)",
     read_ck_gemm},
    {"kernel_grouped_gemm*", kMoe, "moe_gemm", kUnknown,
     "void ck::kernel_grouped_gemm_xdl_splitk<ck::Gridwise<_Float16>>(int)", read_any_dtype},
    {"kernel_grouped_conv*", kConv, "conv", kUnknown,
     "void ck::kernel_grouped_conv_fwd_multiple_abd_xdl_cshuffle<ck::Gridwise<_Float16>>(int)",
     read_any_dtype},
    {"ck_tile GemmKernel", kGemm, "gemm", kUnknown,
     "void ck_tile::kentry<1, ck_tile::GemmKernel<ck_tile::Partitioner>>(int)", read_any_dtype},
});

}  // namespace

RuleTable composable_kernel_rules() {
  return {"composable_kernel", kRules, "bf16"};
}

}  // namespace tactus::names
