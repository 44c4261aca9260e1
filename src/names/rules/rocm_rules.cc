#include "names/readers/gemm_readers.h"
#include "names/readers/pytorch_readers.h"
#include "names/readers/quantised_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"
#include "names/tokens/pieces.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kBlas{"pytorch/aten/src/ATen/cuda/CUDABlas.cpp", "hipblasLtMatmul", false};
constexpr Launcher kAiterNorm{"aiter/csrc/kernels/rmsnorm_quant_kernels.cu", ""};
constexpr Launcher kAiterActivation{"aiter/csrc/kernels/activation_kernels.cu", ""};
constexpr Launcher kAiterCache{"aiter/csrc/kernels/cache_kernels.cu", ""};
constexpr Launcher kAiterMoe{"aiter/csrc/kernels/topk_softmax_kernels.cu", "", false};
constexpr Launcher kRocmPaged{"vllm/csrc/rocm/attention.cu", "paged_attention"};
constexpr Launcher kSkinny{"vllm/csrc/rocm/skinny_gemms.cu", ""};

/// add_rmsnorm_quant_kernel<In, Out, threads, width, add, quant, ...>
void read_aiter_norm(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.dtype_in = args.dtype(0);
  name.dtype_out = args.dtype(1);
  if (name.dtype_out == "fp8" || name.dtype_out == "int8") {
    name.op = "fused_rmsnorm_quant";
  } else {
    name.op = args.flag(4) ? "add_rms_norm" : "rms_norm";
  }
}

constexpr auto kRules = std::to_array<Rule>({
    {"Cijk*", kGemm, "gemm", kBlas,
     "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN_LDSB1_AFC1",
     read_tensile, "hipblaslt"},
    {"Custom_Cijk*", kGemm, "gemm", kBlas,
     "Custom_Cijk_Alik_Bljk_F8BS_BH_Bias_AS_SAB_SCAB_SCD_SAV_UserArgs_MT224x256x128",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       NameTokens bare;
       bare.add(TokenKind::kWord, tokens[at].text().substr(std::string_view("Custom_").size()));
       read_tensile(bare, 0, name);
     },
     "hipblaslt"},
    {"add_rmsnorm_quant_kernel", kNorm, "rms_norm", kAiterNorm,
     "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0ELb0ELb1ELi1EEEvPT0_",
     read_aiter_norm},
    {"aiter act_and_mul_kernel", kActivation, "silu_and_mul", kAiterActivation,
     "void aiter::act_and_mul_kernel<__hip_bfloat16, float, &aiter::silu_kernel<float>, 8>(int)"},
    {"aiter scaled_act_and_mul_kernel", kActivation, "silu_and_mul_quant", kAiterActivation,
     "void aiter::scaled_act_and_mul_kernel<__hip_bfloat16, &aiter::silu_kernel<float>, 8>(int)"},
    {"reshape_and_cache_with_per_token_quant_kernel", kKvWrite, "reshape_and_cache", kAiterCache,
     "void aiter::reshape_and_cache_with_per_token_quant_kernel<__hip_bfloat16>(int)"},
    {"aiter topkGatingSoftmax*", kMoe, "moe_topk_gating_softmax", kAiterMoe,
     "void aiter::topkGatingSoftmax_sharded<__hip_bfloat16, 4>(int)"},
    {"grouped_topk_kernel", kMoe, "grouped_topk", kAiterMoe,
     "void aiter::grouped_topk_kernel<__hip_bfloat16, 2, true>(int)"},
    {"grouped_topk_opt_sort_kernel", kMoe, "grouped_topk", kAiterMoe,
     "void aiter::grouped_topk_opt_sort_kernel<__hip_bfloat16, 8, 4, true>(int)"},
    {"aiter biased_grouped_topk*", kMoe, "grouped_topk", kAiterMoe,
     "void aiter::biased_grouped_topk_kernel<float, 8>(int)"},
    {"smooth_per_token_scaled_quant_kernel", kQuantise, "fp8_dynamic_per_token_quant",
     launched_in("aiter/csrc/kernels/quant_kernels.cu"),
     "void aiter::smooth_per_token_scaled_quant_kernel<__hip_bfloat16, 256>(int)"},
    {"dynamic_per_group_scaled_quant_kernel", kQuantise, "per_token_group_quant_fp8",
     launched_in("aiter/csrc/kernels/quant_kernels.cu"),
     "void aiter::dynamic_per_group_scaled_quant_kernel<__hip_bfloat16, 32>(int)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       read_quantised_types(tokens, at, name);
       if (name.dtype_out == "fp4") name.op = "per_token_group_quant_fp4";
     }},
    {"kn_entry_2c_sbhd_cached_indirect_inplace", kRope, "rope",
     perhaps_in("aiter/csrc/kernels/rope/rope_2c_cached_positions_fwd_kernels.cu"),
     "void kn_entry_2c_sbhd_cached_indirect_inplace<OpCachedFwd, c10::BFloat16>(c10::BFloat16*)"},
    {"kn_entry*", kRope, "rope", kUnknown,
     "void kn_entry_1c_thd<OpUncachedFwd, c10::BFloat16>(c10::BFloat16*)"},
    {"paged_attention_ll4mi_QKV_mfma16_kernel", kAttention, "attention_decode", kRocmPaged,
     "void paged_attention_ll4mi_QKV_mfma16_kernel<__hip_bfloat16, __hip_bfloat16, 0, 16>(int)"},
    {"paged_attention_ll4mi_QKV_mfma4_kernel", kAttention, "attention_decode", kRocmPaged,
     "void paged_attention_ll4mi_QKV_mfma4_kernel<__hip_bfloat16, __hip_bfloat16, 0, 16>(int)"},
    {"paged_attention_ll4mi_reduce_kernel", kAttentionCombine, "attention_combine", kRocmPaged,
     "void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16, __hip_bfloat16, 128, 128>(int)"},
    {"wvSplitKQ*", kGemv, "gemv", kSkinny,
     "void wvSplitKQ_hf_sml_<__hip_bfloat16, __hip_fp8_e4m3, 64, 2, 16, 16, 2, 1>(int)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       const TemplateArgs args(tokens, at);  // output, inputs
       name.dtype_in = args.dtype(1);
       name.dtype_out = args.dtype(0);
     }},
    {"wvSplitKrc*", kGemv, "gemv", kSkinny,
     "void wvSplitKrc_<__hip_bfloat16, 64, 16, 1, 128, 4>(int)"},
    {"wv_splitk*", kGemv, "gemv", launched_in("aiter/csrc/kernels/custom_kernels.cu"),
     "void aiter::wv_splitk_small_fp16_bf16_kernel<__hip_bfloat16, 64, 2, 16, 8, 4, 1>(int)"},
    {"wvSplitK*", kGemv, "gemv", kSkinny,
     "void wvSplitK_hf_sml_<__hip_bfloat16, 64, 2, 16, 8, 4, 1>(int)"},
    {"LLGemm1_kernel", kGemv, "gemv", kSkinny, "void LLGemm1_kernel<c10::BFloat16, 4>(int)"},
    {"trampoline_kernel scan_impl", kScan, "inclusive_scan", kUnknown,
     "void rocprim::detail::trampoline_kernel<rocprim::detail::wrapped_scan_config<long>, "
     "rocprim::detail::scan_impl<int>>(int)",
     read_dtype, "rocprim"},
    {"trampoline_kernel radix_sort_onesweep_iteration", kSampling, "sort", kUnknown,
     "void rocprim::detail::trampoline_kernel<rocprim::detail::wrapped_config<long>, "
     "rocprim::detail::radix_sort_onesweep_iteration<int>>(int)",
     read_dtype, "rocprim"},
    {"trampoline_kernel reduce_impl", kReduce, "reduce", kUnknown,
     "void rocprim::detail::trampoline_kernel<rocprim::detail::wrapped_reduce_config<long>, "
     "rocprim::detail::reduce_impl<int>>(int)",
     read_dtype, "rocprim"},
    {"trampoline_kernel partition_impl", kGather, "select", kUnknown,
     "void rocprim::detail::trampoline_kernel<rocprim::detail::wrapped_config<long>, "
     "rocprim::detail::partition_impl<int>>(int)",
     read_dtype, "rocprim"},
    {"init_lookback_scan_state_kernel", kScan, "scan_init", kUnknown,
     "void rocprim::detail::init_lookback_scan_state_kernel<lookback_scan_state<long>>(int)",
     read_dtype, "rocprim"},
    {"__amd_rocclr_copyBuffer*", kCopy, "copy", kUnknown, "__amd_rocclr_copyBuffer.kd",
     read_nothing, "rocm"},
    {"__amd_rocclr_copyBufferAligned", kCopy, "copy", kUnknown, "__amd_rocclr_copyBufferAligned.kd",
     read_nothing, "rocm"},
    {"__amd_rocclr_copyBufferRect", kCopy, "copy", kUnknown, "__amd_rocclr_copyBufferRect",
     read_nothing, "rocm"},
    {"__amd_rocclr_fillBufferAligned", kFill, "fill", kUnknown, "__amd_rocclr_fillBufferAligned.kd",
     read_nothing, "rocm"},
    {"__amd_rocclr_fillBuffer", kFill, "fill", kUnknown, "__amd_rocclr_fillBuffer", read_nothing,
     "rocm"},
    {"Im2d2Col*", kConv, "conv", kUnknown, "Im2d2Col_v2", read_nothing},
    {"igemm*", kConv, "conv", kUnknown, "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex0_bt128x64x32",
     read_piece_dtype},
});

// Kernels that AITER carries as assembly.
constexpr auto kAssemblyRules = std::to_array<Rule>({
    {"fmha_fwd*", kAttention, "attention_prefill", kUnknown,
     "_ZN5aiter26fmha_fwd_hd128_bf16_causalE", read_piece_dtype},
    {"fmha_bwd*", kAttention, "attention_backward", kUnknown,
     "aiter::fmha_bwd_hd128_bf16_causal_a16_psskddv", read_piece_dtype},
    {"pa_fp16*", kAttention, "attention_decode", kUnknown,
     "_ZN5aiter28pa_fp16_noquant_gqa16_1tg_4wE", read_piece_dtype},
    {"PA_A16W8*", kAttention, "attention_decode", kUnknown,
     "_ZN5aiter44PA_A16W8_BLK256_1TG_4W_16mx1_64nx4_MTP_PS_PBE", read_nothing},
    {"pa_bf16*", kAttention, "attention_decode", kUnknown, "_ZN5aiter25pa_bf16_pertokenFp8_gqa8E",
     read_piece_dtype},
    {"pa_fwd*", kAttention, "attention_decode", kUnknown, "_ZN5aiter11pa_fwd_bf16E",
     read_piece_dtype},
    {"mla_a16w16*", kAttention, "attention_decode", kUnknown,
     "_ZN5aiter39mla_a16w16_qh16_m16x4_n16x1_coex0_mask1E", read_aiter_mla},
    {"mla_a16w8*", kAttention, "attention_decode", kUnknown,
     "_ZN5aiter41mla_a16w8_qh16_m16x4_n16x1_coex0_mask1_psE", read_aiter_mla},
    {"mla_a8w8*", kAttention, "attention_decode", kUnknown,
     "_ZN5aiter36mla_a8w8_qh16_qseqlen1_gqaratio16_psE", read_aiter_mla},
    {"mla_dec*", kAttention, "attention_decode", kUnknown,
     "_ZN5aiter31mla_dec_stage1_bf16_a16w16_subQE", read_piece_dtype},
    {"mla_pfl*", kAttention, "attention_prefill", kUnknown, "_ZN5aiter21mla_pfl_bf16_a16w16_cE",
     read_piece_dtype},
    {"kn_mla_reduce_v1*", kAttentionCombine, "attention_combine", kUnknown,
     "void kn_mla_reduce_v1<MlaReduceKernelV1Traits<512>, float>(int)", read_nothing},
    {"fmoe*", kMoe, "moe_gemm", kUnknown, "_ZN5aiter35fmoe_bf16_pertokenFp8_g1u1_silu_1tgE",
     read_aiter_quantised},
    {"moe_stage1*", kMoe, "moe_gemm", kUnknown, "_ZN5aiter20moe_stage1_bf16_g1u1E",
     read_piece_dtype},
    {"f8_block_scale_mi300*", kGemm, "block_scaled_mm", kUnknown,
     "_ZN5aiter29f8_block_scale_mi300_x128_nnnE", read_nothing},
    {"f4gemm*", kGemm, "gemm", kUnknown, "_ZN5aiter42f4gemm_bf16_per1x32Fp4_BpreShuffle_128x512E",
     read_aiter_quantised},
    {"f6gemm*", kGemm, "gemm", kUnknown, "_ZN5aiter31f6gemm_bf16_per1x32Fp6_tn_64x64E",
     read_aiter_quantised},
    {"f4f4gemm*", kGemm, "gemm", kUnknown, "_ZN5aiter28f4f4gemm_bf16_per1x32Fp4Fp4_E",
     read_aiter_quantised},
    {"f4f6gemm*", kGemm, "gemm", kUnknown, "_ZN5aiter28f4f6gemm_bf16_per1x32Fp4Fp6_E",
     read_aiter_quantised},
    {"f6f4gemm*", kGemm, "gemm", kUnknown, "_ZN5aiter28f6f4gemm_bf16_per1x32Fp6Fp4_E",
     read_aiter_quantised},
    {"fp8gemm*", kGemm, "block_scaled_mm", kUnknown,
     "_ZN5aiter42fp8gemm_bf16_blockscale_BpreShuffle_32x128E", read_aiter_quantised},
    {"i8gemm*", kGemm, "gemm", kUnknown, "_ZN5aiter32i8gemm_bf16_perTokenI8_BpreShuffE",
     read_aiter_quantised},
    {"I8gemm*", kGemm, "gemm", kUnknown, "_ZN5aiter41I8gemm_bf16_perTokenI8_BpreShuffle_16x128E",
     read_aiter_quantised},
    {"bf16gemm*", kGemm, "gemm", kUnknown, "_ZN5aiter32bf16gemm_fp32bf16_tn_96x64_splitE",
     [](const NameTokens&, std::size_t, KernelName& name) { name.dtype_in = "bf16"; }},
    {"flatmm*", kGemm, "gemm", kUnknown, "_ZN5aiter32flatmm_uk_gfx9_f16f8_128x256x128E",
     read_aiter_flatmm},
});

}  // namespace

RuleTable rocm_rules() {
  return {"", kRules};
}

RuleTable aiter_assembly_rules() {
  return {"aiter", kAssemblyRules};
}

}  // namespace tactus::names
