#include "kernels/table/group_recipes.h"

namespace tactus {
namespace {

bool is_split_k_reduce(const TableRow& row) {
  return row.family() == Family::kSplitKReduce;
}

bool is_combine(const TableRow& row) {
  return row.family() == Family::kAttentionCombine;
}

bool is_fa3_prepare(const TableRow& row) {
  return row.family() == Family::kAttentionPrepare && row.says("prepare_varlen");
}

bool is_fa3(const TableRow& row) {
  return row.family() == Family::kAttention && row.says("FlashAttnFwd");
}

bool is_fa3_combine(const TableRow& row) {
  return is_combine(row) && row.says("FlashAttnFwd");
}

bool is_flashinfer_decode(const TableRow& row) {
  return is_decode_attention(row) && row.says("flashinfer");
}

bool is_flashinfer_merge(const TableRow& row) {
  return is_combine(row) && row.says("flashinfer");
}

/// flash_fwd_splitkv_kernel, paged_attention_v2_kernel and similar.
bool is_other_split_attention(const TableRow& row) {
  return row.family() == Family::kAttention && !is_fa3(row) && !row.says("flashinfer") &&
         (row.name->kv_split || row.says("splitkv") || row.says("paged_attention_v2"));
}

bool is_other_combine(const TableRow& row) {
  return is_combine(row) && !is_fa3_combine(row) && !row.says("flashinfer");
}

bool is_radix_histogram(const TableRow& row) {
  return row.says("DeviceRadixSortHistogramKernel");
}
bool is_radix_sum(const TableRow& row) {
  return row.says("DeviceRadixSortExclusiveSumKernel");
}
bool is_radix_sweep(const TableRow& row) {
  return row.says("DeviceRadixSortOnesweepKernel");
}

constexpr GroupRecipe kRecipes[] = {
    {.name = "split-K GEMM",
     .head = is_split_k_gemm,
     .middle = nullptr,
     .tail = is_split_k_reduce,
     .tail_optional = false,
     .tail_repeats = false,
     .api = "cublasGemmEx",
     .op = "aten::mm",
     .python = "",
     .sglang_only = false,
     .because = "one cuBLAS call (CUDABlas.cpp) launches the GEMM and then its reduce"},
    {.name = "attention",
     .head = is_fa3_prepare,
     .middle = is_fa3,
     .tail = is_fa3_combine,
     .tail_optional = true,
     .tail_repeats = false,
     .api = "torch.ops.sgl_kernel.fwd",
     .op = "sgl_kernel::fwd",
     .python = "flash_attn_with_kvcache",
     .sglang_only = true,
     .because = "one call of FlashAttention-3's fwd launches all of them in this order"},
    {.name = "attention",
     .head = is_flashinfer_decode,
     .middle = nullptr,
     .tail = is_flashinfer_merge,
     .tail_optional = true,
     .tail_repeats = false,
     .api = "",
     .op = "",
     .python = "flashinfer wrapper: run",
     .sglang_only = false,
     .because = "FlashInfer merges in the same call, and only where it split the keys"},
    {.name = "attention",
     .head = is_other_split_attention,
     .middle = nullptr,
     .tail = is_other_combine,
     .tail_optional = true,
     .tail_repeats = false,
     .api = "",
     .op = "",
     .python = "",
     .sglang_only = false,
     .because = "a second kernel merges the parts of one attention call"},
    {.name = "radix sort",
     .head = is_radix_histogram,
     .middle = is_radix_sum,
     .tail = is_radix_sweep,
     .tail_optional = false,
     .tail_repeats = true,
     .api = "cub::DeviceRadixSort",
     .op = "aten::sort",
     .python = "",
     .sglang_only = false,
     .because = "one call of CUB's sort launches them, the last once per digit"},
};

}  // namespace

bool is_split_k_gemm(const TableRow& row) {
  return row.family() == Family::kGemm && row.name->split_k;
}

std::span<const GroupRecipe> group_recipes() {
  return kRecipes;
}

}  // namespace tactus
