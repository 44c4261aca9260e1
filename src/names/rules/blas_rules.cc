#include "names/readers/gemm_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kGemmEx{"pytorch/aten/src/ATen/cuda/CUDABlas.cpp", "cublasGemmEx"};
constexpr Launcher kScaled{"vllm/csrc/quantization/w8a8/cutlass/scaled_mm_entry.cu",
                           "cutlass_scaled_mm", false};
constexpr Launcher kConvolution{"pytorch/aten/src/ATen/native/cudnn/ConvShared.cpp",
                                "cudnn_convolution", false};

constexpr auto kCublasRules = std::to_array<Rule>({
    {"splitKreduce_kernel", kSplitKReduce, "splitk_reduce", kGemmEx,
     "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float>(int)",
     read_splitk_reduce},
    {"nvjet*", kGemm, "gemm", kGemmEx, "nvjet_sm90_tst_128x248_64x4_2x1_v_bz_coopA_TNT",
     read_nvjet},
    {"ampere_scudnn*", kConv, "conv", kConvolution, "ampere_scudnn_128x64_relu_small_nn_v1",
     read_nothing, "cudnn"},
    {"ampere*", kGemm, "gemm", kGemmEx,
     "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", read_cublas},
    {"volta*", kGemm, "gemm", kGemmEx, "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", read_cublas},
    {"turing*", kGemm, "gemm", kGemmEx, "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn",
     read_cublas},
    {"maxwell*", kGemm, "gemm", kGemmEx, "maxwell_sgemm_128x64_tn", read_cublas},
    {"hopper*", kGemm, "gemm", kGemmEx, "hopper_bf16_gemm_bf16_128x64_tn", read_cublas},
    {"sm80_xmma_gemm*", kGemm, "gemm", kGemmEx,
     "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x4x1_ffma_aligna4",
     read_xmma},
    {"sm86_xmma_gemm*", kGemm, "gemm", kGemmEx,
     "sm86_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_stage4_warpsize2x2x1_tensor16x8x16",
     read_xmma},
    {"sm89_xmma_gemm*", kGemm, "gemm", kGemmEx,
     "sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x64x64_stage4_warpsize2x2x1", read_xmma},
    {"sm90_xmma_gemm*", kGemm, "gemm", kGemmEx,
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute",
     read_xmma},
    {"gemvx kernel", kGemv, "gemv", kGemmEx,
     "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, "
     "__nv_bfloat16, __nv_bfloat16, float, false, true>(int)",
     read_gemvx},
    {"gemv2T_kernel_val", kGemv, "gemv", kGemmEx,
     "void gemv2T_kernel_val<int, int, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, 128>("
     "int)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       const TemplateArgs args(tokens, at);
       name.dtype_in = args.dtype(2);
       name.dtype_out = args.dtype(4);
     }},
    {"gemv2N_kernel", kGemv, "gemv", kGemmEx,
     "void gemv2N_kernel<int, int, float, float, float, float, 128>(int)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       const TemplateArgs args(tokens, at);
       name.dtype_in = args.dtype(2);
       name.dtype_out = args.dtype(4);
     }},
    {"gemvNSP_kernel", kGemv, "gemv", kGemmEx,
     "void gemvNSP_kernel<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, 1, 32>(int)"},
    {"gemmk1_kernel", kGemm, "gemm", kGemmEx,
     "void gemmk1_kernel<int, float, 256, 5, true, false>(cublasGemmk1Params<float>)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       const std::string_view dtype = TemplateArgs(tokens, at).dtype(1);
       name.dtype_in = dtype;
       name.dtype_out = dtype;
     }},
    {"gemmSN_TN_kernel", kGemm, "gemm", kGemmEx,
     "void gemmSN_TN_kernel<float, 128, 16, 2, 4, 8, 9, false>(cublasGemmSmallNParams<float>)"},
    {"gemmSN_NN_kernel", kGemm, "gemm", kGemmEx,
     "void gemmSN_NN_kernel<float, 256, 4, 2, 8, 4, 4, false>(cublasGemmSmallNParams<float>)"},
    {"gemm_kernel2x2_core", kGemm, "gemm", kGemmEx,
     "void gemm_kernel2x2_core<double, 128, 16, 2>(int)"},
    {"dot_kernel cublasDotParams", kGemv, "dot", kGemmEx,
     "void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<float>>>(int)"},
    {"reduce_1Block_kernel", kGemv, "dot", kGemmEx,
     "void reduce_1Block_kernel<float, 128, 7, cublasGemvTensorStridedBatched<float>>(int)"},
    {"scal_kernel", kElementwise, "mul", kGemmEx, "void scal_kernel<float, float, 1, true>(int)"},
    {"cublasLt", kGemm, "gemm", kGemmEx, "void cublasLt::something<float>(float*)"},
});

constexpr auto kCutlassRules = std::to_array<Rule>({
    {"cutlass_80*", kGemm, "gemm", kGemmEx,
     "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_tn_align8>("
     "T1::Params)",
     read_cutlass2, "cublas"},
    {"cutlass_75*", kGemm, "gemm", kGemmEx,
     "void cutlass::Kernel<cutlass_75_tensorop_f16_s1688gemm_f16_256x128_nn_align8>(int)",
     read_cutlass2, "cublas"},
    {"cutlass_90*", kGemm, "gemm", kGemmEx,
     "void cutlass::Kernel2<cutlass_90_tensorop_bf16_s64x128x16gemm_bf16_128x128_64x4_tn_align8>("
     "int)",
     read_cutlass2, "cublas"},
    {"cutlass3x*", kGemm, "gemm", kGemmEx,
     "cutlass3x_sm100_bstensorop_s128x128x64gemm_bf16_64x128_32x4_tn_align8", read_cutlass2},
    {"GroupProblemShape GemmUniversal", kMoe, "moe_gemm", kUnknown,
     "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<"
     "cutlass::gemm::GroupProblemShape<cute::tuple<int, int, int>>, int>>(int)",
     [](const NameTokens& tokens, std::size_t, KernelName& name) {
       read_cutlass3(tokens, 0, name);
     }},
    {"GemmUniversal", kGemm, "gemm", kUnknown,
     "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, "
     "int>, cutlass::gemm::collective::CollectiveMma<int>>>(int)",
     read_cutlass3},
    {"cutlass_3x_gemm*", kGemm, "gemm", kScaled,
     "void cutlass::Kernel2<vllm::cutlass_3x_gemm_sm90<float>>(int)"},
    {"enable_sm80_to_sm89 Gemm", kGemm, "gemm", kScaled,
     "void cutlass::Kernel<vllm::enable_sm80_to_sm89<cutlass::gemm::kernel::Gemm<float>>>(int)"},
    {"DefaultGemmUniversal", kGemm, "gemm", kUnknown,
     "void cutlass::Kernel2<cutlass::gemm::kernel::DefaultGemmUniversal<float>::GemmKernel>(int)"},
    {"ImplicitGemmConvolution", kConv, "conv", kUnknown,
     "void cutlass::Kernel<cutlass::conv::kernel::ImplicitGemmConvolution<float>>(int)"},
    {"Kernel2 cutlass", kGemm, "gemm", kUnknown, "void cutlass::Kernel2<Mine>(int)", read_nothing},
    {"kernel_cutlass*", kGemm, "gemm", kUnknown, "kernel_cutlass_kernel_mine", read_nothing},
});

constexpr auto kCudnnRules = std::to_array<Rule>({
    {"sm80_xmma_fprop*", kConv, "conv", kConvolution,
     "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm90_xmma_fprop*", kConv, "conv", kConvolution,
     "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_g1",
     read_xmma},
    {"implicit_convolve_sgemm", kConv, "conv", kConvolution,
     "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1>(int)"},
    {"cudnn nhwcToNchwKernel", kCopy, "transpose", kConvolution,
     "void cudnn::ops::nhwcToNchwKernel<__half, __half, float, false>(int)"},
    {"cudnn nchwToNhwcKernel", kCopy, "transpose", kConvolution,
     "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false>(int)"},
    {"nhwcToFoldedNhwcKernel", kCopy, "transpose", kConvolution,
     "void cudnn::engines_precompiled::nhwcToFoldedNhwcKernel<__half, __half>(int)"},
    {"cudnn_generated_fort_native_layernorm*", kNorm, "layer_norm", kUnknown,
     "cudnn_generated_fort_native_layernorm_sm90_kernel0", read_nothing},
    {"cudnn_generated_fort_native_matmul*", kGemm, "gemm", kUnknown,
     "cudnn_generated_fort_native_matmul_sm90_kernel0", read_nothing},
    {"cudnn", kConv, "conv", kConvolution,
     "void cudnn::cnn::conv2d_grouped_direct_kernel<__half>(int)"},
    {"conv_depthwise2d_forward_kernel", kConv, "conv",
     launched_in("pytorch/aten/src/ATen/native/cuda/DepthwiseConv2d.cu",
                 "conv_depthwise2d_forward_out"),
     "void at::native::conv_depthwise2d_forward_kernel<3, c10::Half, int>(int)"},
    {"vol2col_kernel", kConv, "conv", kUnknown, "void at::native::vol2col_kernel<c10::Half>(int)"},
    {"im2col_kernel", kConv, "conv", kUnknown, "void at::native::im2col_kernel<c10::Half>(int)"},
});

}  // namespace

RuleTable cublas_rules() {
  return {"cublas", kCublasRules};
}

RuleTable cutlass_rules() {
  return {"cutlass", kCutlassRules};
}

RuleTable cudnn_rules() {
  return {"cudnn", kCudnnRules};
}

}  // namespace tactus::names
