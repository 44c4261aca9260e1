#include "names/guess/hints.h"
#include "names/readers/cutlass_readers.h"
#include "names/readers/gemm_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/cudnn_launcher.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kGemmEx{"pytorch/aten/src/ATen/cuda/CUDABlas.cpp", "cublasGemmEx"};
constexpr Launcher kScaled{"vllm/csrc/quantization/w8a8/cutlass/scaled_mm_entry.cu",
                           "cutlass_scaled_mm", false};

/// cuDNN builds its convolutions like cuBLAS its products: turing_fp16_s1688cudnn_fp16_128x128_...
void read_cublas_or_cudnn(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_cublas(tokens, at, name);
  if (tokens[at].text().find("cudnn") == std::string_view::npos) return;
  name.family = kConv;
  name.op = "conv";
  name.library = "cudnn";
  name.launcher = kCudnnConvolution;
}

/// CUTLASS's library names products and convolutions by one scheme.
void read_cutlass2_or_conv(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_cutlass2(tokens, at, name);
  if (tokens[at].text().find("gemm") == std::string_view::npos) return;
  name.family = kGemm;
  name.op = "gemm";
  name.library = "cutlass";
  name.launcher.reset();
}

/// cutlass3x_sm100_tensorop_s256x256x16implicit_gemm_fprop_...: the product inside a convolution
void read_cutlass3_or_conv(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_cutlass3_name(tokens, at, name);
  const Hint* hint = hint_for(tokens[at].text());
  if (hint == nullptr || hint->family != kConv) return;
  name.family = kConv;
  name.op = hint->op;
  name.launcher = kCudnnConvolution;
}

/// dot_kernel<accumulator, ..., cublasDotParams<cublasGemvTensor<T const>, ...>>
void read_dot(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const std::size_t params = tokens.find("cublasDotParams", at);
  name.dtype_in = TemplateArgs(tokens, params).dtype(0);
  name.dtype_out = TemplateArgs(tokens, params).dtype(1);
  if (name.dtype_out.empty()) name.dtype_out = name.dtype_in;
}

/// reduce_1Block_kernel<partial sums, ..., cublasGemvTensorStridedBatched<T>>
void read_dot_reduce(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const TemplateArgs args(tokens, at);
  name.dtype_in = args.dtype(0);
  name.dtype_out = args.dtype(3);
}

constexpr auto kCublasRules = std::to_array<Rule>({
    {"splitKreduce_kernel", kSplitKReduce, "splitk_reduce", kGemmEx,
     "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float>(int)",
     read_splitk_reduce},
    {"nvjet*", kGemm, "gemm", kGemmEx, "nvjet_sm90_tst_128x248_64x4_2x1_v_bz_coopA_TNT",
     read_nvjet},
    {"ampere*", kGemm, "gemm", kGemmEx,
     "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", read_cublas_or_cudnn},
    {"volta*", kGemm, "gemm", kGemmEx, "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
     read_cublas_or_cudnn},
    {"turing*", kGemm, "gemm", kGemmEx, "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn",
     read_cublas_or_cudnn},
    {"maxwell*", kGemm, "gemm", kGemmEx, "maxwell_sgemm_128x64_tn", read_cublas_or_cudnn},
    {"hopper*", kGemm, "gemm", kGemmEx, "hopper_bf16_gemm_bf16_128x64_tn", read_cublas_or_cudnn},
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
     "void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<float>>>(int)", read_dot},
    {"reduce_1Block_kernel", kGemv, "dot", kGemmEx,
     "void reduce_1Block_kernel<float, 128, 7, cublasGemvTensorStridedBatched<float>>(int)",
     read_dot_reduce},
    {"scal_kernel", kElementwise, "mul", kGemmEx, "void scal_kernel<float, float, 1, true>(int)"},
    {"cublasLt globalKernel", kSplitKReduce, "splitk_reduce", kGemmEx,
     "void cublasLt::epilogue::impl::globalKernel<8, 32, float, __nv_bfloat16, __nv_bfloat16, "
     "true, true, 0>(int)"},
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
     "cutlass3x_sm100_bstensorop_s128x256x64gemm_block_scaled_ue4m3xe2m1_ue4m3xe2m1_f32_bf16_"
     "bf16_128x256x256_4x4x1_0_tnn_align32_2sm_epi_tma",
     read_cutlass3_or_conv},
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
    {"cutlass_3x_gemm_fp8_blockwise", kGemm, "block_scaled_mm", kScaled,
     "void cutlass::device_kernel<vllm::cutlass_3x_gemm_fp8_blockwise<cutlass::bfloat16_t, 1, 128, "
     "128>::GemmKernel>(int)",
     read_vllm_cutlass_fp8},
    {"cutlass_3x_gemm*", kGemm, "gemm", kScaled,
     "void cutlass::Kernel2<vllm::cutlass_3x_gemm_sm90_fp8<cutlass::float_e4m3_t, "
     "cutlass::bfloat16_t>>(int)",
     read_vllm_cutlass},
    {"cutlass_3x_group_gemm*", kMoe, "moe_gemm", kUnknown,
     "void cutlass::device_kernel<vllm::cutlass_3x_group_gemm_sm90<cutlass::float_e4m3_t, "
     "cutlass::bfloat16_t>::GemmKernel>(int)",
     read_vllm_cutlass},
    {"DefaultGemmWithVisitor", kGemm, "gemm", kScaled,
     "void cutlass::Kernel2<vllm::enable_sm80_to_sm89<cutlass::gemm::kernel::"
     "DefaultGemmWithVisitor<signed char>>>(int)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       name.dtype_in = TemplateArgs(tokens, at).dtype(0);
     }},
    {"cutlass_tensorop*", kConv, "conv", kCudnnConvolution,
     "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_"
     "nhwc_align8>(int)",
     read_cutlass2_or_conv, "cudnn"},
    {"enable_sm80_to_sm89 Gemm", kGemm, "gemm", kScaled,
     "void cutlass::Kernel<vllm::enable_sm80_to_sm89<cutlass::gemm::kernel::Gemm<float>>>(int)"},
    {"DefaultGemmUniversal", kGemm, "gemm", kUnknown,
     "void cutlass::Kernel2<cutlass::gemm::kernel::DefaultGemmUniversal<float>::GemmKernel>(int)"},
    {"ImplicitGemmConvolution", kConv, "conv", kUnknown,
     "void cutlass::Kernel<cutlass::conv::kernel::ImplicitGemmConvolution<float>>(int)"},
    {"ReduceSplitK", kSplitKReduce, "splitk_reduce", kUnknown,
     "void cutlass::Kernel<cutlass::reduction::kernel::ReduceSplitK<cutlass::MatrixShape<4, 128>, "
     "cutlass::epilogue::thread::LinearCombination<float, 4>>>(int)"},
});

}  // namespace

RuleTable cublas_rules() {
  return {"cublas", kCublasRules};
}

RuleTable cutlass_rules() {
  return {"cutlass", kCutlassRules};
}

}  // namespace tactus::names
