#include "names/readers/attention_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kFlash2{"flash-attention/csrc/flash_attn/src/flash_fwd_launch_template.h",
                           "run_flash_fwd"};
constexpr Launcher kFlash2Backward{
    "flash-attention/csrc/flash_attn/src/flash_bwd_launch_template.h", "run_flash_bwd"};
constexpr Launcher kFlash2Split{"flash-attention/csrc/flash_attn/src/flash_fwd_launch_template.h",
                                "run_flash_splitkv_fwd"};
// FlashAttention-3 reaches SGLang through flash_attn_with_kvcache and torch.ops.sgl_kernel.fwd;
// vLLM and others call the same kernels.
constexpr Launcher kFlash3{"sglang/python/sglang/srt/layers/attention/flashattention_backend.py",
                           "flash_attn_with_kvcache"};
constexpr Launcher kTorchFlash{
    "pytorch/aten/src/ATen/native/transformers/cuda/flash_attn/flash_api.cpp", ""};
constexpr Launcher kTorchEfficient{"pytorch/aten/src/ATen/native/transformers/cuda/attention.cu",
                                   "_efficient_attention_forward"};
constexpr Launcher kTorchCudnn{"pytorch/aten/src/ATen/native/cudnn/MHA.cpp", "run_cudnn_SDP_fprop"};
constexpr Launcher kFlashMla{"FlashMLA/csrc/flash_api.cpp", "", false};

constexpr auto kFlashRules = std::to_array<Rule>({
    {"FlashAttnFwdSm90", kAttention, "attention", kFlash3,
     "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<"
     "flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1>>>>>>(int)",
     read_flash3},
    {"FlashAttnFwdSm80", kAttention, "attention", kFlash3,
     "void cutlass::device_kernel<flash::enable_sm80_to_sm89<flash::FlashAttnFwdSm80<"
     "flash::CollectiveMainloopFwdSm80<4, 1, false>>>>(int)",
     read_nothing},
    {"FlashAttnFwdCombine", kAttentionCombine, "attention_combine", kFlash3,
     "void cutlass::device_kernel<flash::FlashAttnFwdCombine<cute::tuple<cute::C<8>, "
     "cute::C<128>>, 5, 256, 1, false, true, cutlass::bfloat16_t, float, "
     "cutlass::arch::Sm90>>(int)",
     read_flash3_combine},
    {"prepare_varlen_num_blocks_kernel", kAttentionPrepare, "attention_prepare", kFlash3,
     "void flash::prepare_varlen_num_blocks_kernel<8, true>(int, int)", read_flash3_prepare},
    {"FlashAttnBwdSm90", kAttention, "attention_backward", kFlash3,
     "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnBwdSm90<int>>>(int)",
     read_nothing},

    {"pytorch_flash flash_fwd_kernel", kAttention, "attention", kTorchFlash,
     "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, "
     "false, false, cutlass::bfloat16_t>, false, true, false>(pytorch_flash::Flash_fwd_params)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       read_flash2(tokens, at + 1, name);
     }},
    {"flash_fwd_kernel", kAttention, "attention", kFlash2,
     "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, "
     "cutlass::half_t>, false, true, false, false, true, true, false>(flash::Flash_fwd_params)",
     read_flash2},
    {"flash_fwd_splitkv_combine_kernel", kAttentionCombine, "attention_combine", kFlash2Split,
     "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, false, "
     "false, cutlass::half_t>, 4, 1, true>(flash::Flash_fwd_params)",
     read_flash2_combine},
    {"flash_fwd_splitkv_kernel", kAttention, "attention", kFlash2Split,
     "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, false, false, "
     "cutlass::half_t>, false, false, false, false, true, false, true, false>(int)",
     read_flash2_splitkv},
    {"pytorch_flash flash_bwd*", kAttention, "attention_backward", kTorchFlash,
     "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, "
     "128, 128, 8, cutlass::bfloat16_t>>(pytorch_flash::Flash_bwd_params, int)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       read_dtype(tokens, at + 1, name);
     }},
    {"flash_bwd*", kAttention, "attention_backward", kFlash2Backward,
     "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, "
     "128, 8, 2, 4, 2, false, false, cutlass::bfloat16_t>, false, true>(flash::Flash_bwd_params)"},
    {"FlashAttnBwdPreprocess", kAttention, "attention_backward", kUnknown,
     "void cutlass::device_kernel<flash::FlashAttnBwdPreprocess<cute::tuple<cute::C<64>, "
     "cute::C<128>>, cutlass::bfloat16_t>>(int)"},
    {"FlashAttnBwdPostprocessConvertdQ", kAttention, "attention_backward", kUnknown,
     "void cutlass::device_kernel<flash::FlashAttnBwdPostprocessConvertdQ<cute::tuple<"
     "cute::C<64>, cute::C<128>>, cutlass::bfloat16_t>>(int)"},
    {"flash_fwd_sparse_kernel", kAttention, "attention", kFlash2,
     "void flash::flash_fwd_sparse_kernel<Flash_fwd_kernel_traits<128, 64, 64, 4>, false>(int)",
     read_flash2},
});

constexpr auto kOtherRules = std::to_array<Rule>({
    {"cudnn_generated_fort_native_sdpa*", kAttention, "attention", kTorchCudnn,
     "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_"
     "cga1x1x1_kernel0_0",
     read_cudnn_sdpa},
    {"cudnn_infer_fmha*", kAttention, "attention", kTorchCudnn, "cudnn_infer_fmha_v2_kernel",
     read_nothing},
    {"fmha_cutlassF*", kAttention, "attention", kTorchEfficient,
     "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel::Params)",
     read_efficient_attention},
    {"fmha_cutlassB*", kAttention, "attention_backward", kTorchEfficient,
     "fmha_cutlassB_bf16_aligned_64x64_k64_sm80(int)", read_efficient_attention},
    {"attention_kernel_batched_impl", kAttention, "attention", kTorchEfficient,
     "void attention_kernel_batched_impl<AttentionKernel<cutlass::half_t, "
     "cutlass::arch::Sm80>>(int)"},
    {"flash_fwd_splitkv_mla_kernel", kAttention, "attention_decode", kFlashMla,
     "void flash::flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<576, 64, 64, 8, "
     "cutlass::bfloat16_t, 512>, true, flash::SharedStorageMLA<int>>(int)"},
    {"flash_fwd_splitkv_mla_fp8_sparse_kernel", kAttention, "attention_decode", kFlashMla,
     "void sm90::decode::sparse_fp8::flash_fwd_splitkv_mla_fp8_sparse_kernel<(ModelType)0, 64>("
     "int)",
     read_nothing},
    {"sparse_attn_fwd*", kAttention, "attention_prefill", kFlashMla,
     "void sm90::fwd::sparse_attn_fwd_kernel<576, false>(SparseAttnFwdParams)", read_nothing},
    {"flash_fwd_splitkv_mla_combine_kernel", kAttentionCombine, "attention_combine", kFlashMla,
     "void flash::flash_fwd_splitkv_mla_combine_kernel<cutlass::bfloat16_t, float, long, 512, 32>("
     "int)"},
    {"flash_fwd_mla_combine_kernel", kAttentionCombine, "attention_combine", kFlashMla,
     "void flash_fwd_mla_combine_kernel<cutlass::bfloat16_t, float, long, 512, 32>(int)"},
    {"get_mla_metadata_kernel", kAttentionPrepare, "attention_prepare", kFlashMla,
     "void get_mla_metadata_kernel(Mla_metadata_params)"},
    {"Sm100FmhaMlaKernelTmaWarpspecialized", kAttention, "attention_decode", kFlashMla,
     "void cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaMlaKernelTmaWarpspecialized<"
     "cute::tuple<cute::C<128>>, cutlass::bfloat16_t>>(int)"},
    {"Sm100FmhaMlaReductionKernel", kAttentionCombine, "attention_combine", kFlashMla,
     "void cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaMlaReductionKernel<"
     "cutlass::bfloat16_t, float>>(int)"},
    {"Sm100FmhaFwdKernelTmaWarpspecialized", kAttention, "attention_prefill", kFlashMla,
     "void cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaFwdKernelTmaWarpspecialized<"
     "cute::tuple<int>>>(int)",
     read_nothing},
    {"flash_mla*", kAttention, "attention_decode", kFlashMla, "flash_mla_decode_kernel",
     read_nothing},
});

}  // namespace

RuleTable flash_attention_rules() {
  return {"flash_attention", kFlashRules};
}

RuleTable attention_rules() {
  return {"", kOtherRules};
}

}  // namespace tactus::names
