#include "names/readers/gemm_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/cudnn_launcher.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kBatchNorm{"pytorch/aten/src/ATen/native/cudnn/BatchNorm.cpp",
                              "cudnn_batch_norm", false};
constexpr Launcher kMiopenConvolution{"pytorch/aten/src/ATen/native/miopen/Conv_miopen.cpp",
                                      "miopen_convolution", false};
constexpr Launcher kMiopenBatchNorm{"pytorch/aten/src/ATen/native/miopen/BatchNorm_miopen.cpp",
                                    "miopen_batch_norm", false};

// cuDNN has more than convolutions: its name alone says nothing about a kernel.
constexpr auto kCudnnRules = std::to_array<Rule>({
    {"sm80_xmma_fprop*", kConv, "conv", kCudnnConvolution,
     "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm90_xmma_fprop*", kConv, "conv", kCudnnConvolution,
     "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_g1",
     read_xmma},
    {"sm75_xmma_fprop*", kConv, "conv", kCudnnConvolution,
     "sm75_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm75_xmma_dgrad*", kConv, "conv", kCudnnConvolution,
     "sm75_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm75_xmma_wgrad*", kConv, "conv", kCudnnConvolution,
     "sm75_xmma_wgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm80_xmma_dgrad*", kConv, "conv", kCudnnConvolution,
     "sm80_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm80_xmma_wgrad*", kConv, "conv", kCudnnConvolution,
     "sm80_xmma_wgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm86_xmma_fprop*", kConv, "conv", kCudnnConvolution,
     "sm86_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm86_xmma_dgrad*", kConv, "conv", kCudnnConvolution,
     "sm86_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm86_xmma_wgrad*", kConv, "conv", kCudnnConvolution,
     "sm86_xmma_wgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm89_xmma_fprop*", kConv, "conv", kCudnnConvolution,
     "sm89_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm89_xmma_dgrad*", kConv, "conv", kCudnnConvolution,
     "sm89_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm89_xmma_wgrad*", kConv, "conv", kCudnnConvolution,
     "sm89_xmma_wgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm90_xmma_dgrad*", kConv, "conv", kCudnnConvolution,
     "sm90_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"sm90_xmma_wgrad*", kConv, "conv", kCudnnConvolution,
     "sm90_xmma_wgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
     read_xmma},
    {"implicit_convolve_sgemm", kConv, "conv", kCudnnConvolution,
     "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1>(int)"},
    {"nhwcToNchwKernel", kCopy, "transpose", kCudnnConvolution,
     "void cudnn::ops::nhwcToNchwKernel<__half, __half, float, false>(int)"},
    {"nchwToNhwcKernel", kCopy, "transpose", kCudnnConvolution,
     "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false>(int)"},
    {"nhwcToFoldedNhwcKernel", kCopy, "transpose", kCudnnConvolution,
     "void cudnn::engines_precompiled::nhwcToFoldedNhwcKernel<__half, __half>(int)"},
    {"cudnn_generated_fort_native_layernorm*", kNorm, "layer_norm", kUnknown,
     "cudnn_generated_fort_native_layernorm_sm90_kernel0", read_nothing},
    {"cudnn_generated_fort_native_matmul*", kGemm, "gemm", kUnknown,
     "cudnn_generated_fort_native_matmul_sm90_kernel0", read_nothing},
    {"cudnn bn_fw*", kNorm, "batch_norm", kBatchNorm,
     "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1, true>(int)"},
    {"cudnn bn_bw*", kNorm, "batch_norm_backward", kBatchNorm,
     "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float)"},
    {"cudnn batchnorm_fwtr*", kNorm, "batch_norm", kBatchNorm,
     "void cudnn::batchnorm_fwtr_nhwc_semiPersist<__half, 2, 512, 16>(int)"},
    {"cudnn batchnorm_bwtr*", kNorm, "batch_norm_backward", kBatchNorm,
     "void cudnn::batchnorm_bwtr_nhwc_semiPersist<__half, 2, 512, 16>(int)"},
    {"cudnn softmax_fw*", kReduce, "softmax", kUnknown,
     "void cudnn::ops::softmax_fw_kernel<2, float, float, 256, 1, 0, 0>(int)"},
    {"cudnn softmax_bw*", kReduce, "softmax_backward", kUnknown,
     "void cudnn::ops::softmax_bw_kernel<2, float, float, 256, 1, 0, 0>(int)"},
    {"cudnn pooling_fw*", kReduce, "pool", kUnknown,
     "void cudnn::ops::pooling_fw_4d_kernel<float, float, cudnn::maxpooling_func<float>>(int)"},
    {"cudnn pooling_bw*", kReduce, "pool_backward", kUnknown,
     "void cudnn::ops::pooling_bw_kernel_max<float, float, cudnn::maxpooling_func<float>>(int)"},
    {"cudnn activation_fw*", kActivation, "activation", kUnknown,
     "void cudnn::ops::activation_fw_4d_kernel<float, float, 128, 1, 4>(int)"},
    {"op_generic_tensor_kernel", kElementwise, "elementwise", kUnknown,
     "void cudnn::ops::op_generic_tensor_kernel<2, float, float, float, 128>(int)"},
    {"cudnn op_tensor_kernel*", kElementwise, "elementwise", kUnknown,
     "void cudnn::ops::op_tensor_kernel_alpha2_zero<float, float, 3>(int)"},
    {"cudnn scalePackedTensor_kernel", kElementwise, "mul", kUnknown,
     "void cudnn::ops::scalePackedTensor_kernel<float, float>(long, float*, float)"},
    {"cudnn addPackedTensor_kernel", kElementwise, "add", kUnknown,
     "void cudnn::ops::addPackedTensor_kernel<float, float>(long, float*)"},
    {"cudnn setTensor_kernel", kFill, "fill", kUnknown,
     "void cudnn::ops::setTensor_kernel<float>(float*)"},
    {"cudnn tensorTransformGeneric", kCopy, "transpose", kUnknown,
     "void cudnn::ops::tensorTransformGeneric<float, float, float, true, false>(int)"},
    {"cudnn nchwAddPaddingKernel", kCopy, "pad", kCudnnConvolution,
     "void cudnn::ops::nchwAddPaddingKernel<__half, __half, float, true>(int)"},
    {"cudnn cnn", kConv, "conv", kCudnnConvolution,
     "void cudnn::cnn::conv2d_grouped_direct_kernel<__half>(int)"},
    {"cudnn fft", kConv, "conv", kCudnnConvolution,
     "void cudnn::fft::fft2d_r2c_32x32<float, false, 1u, false>(int)"},
    {"cudnn computeOffsetsKernel", kConv, "conv_prepare", kCudnnConvolution,
     "void cudnn::gemm::computeOffsetsKernel(cudnn::gemm::ComputeOffsetsParams)", read_nothing},
    {"conv_depthwise2d_forward_kernel", kConv, "conv",
     launched_in("pytorch/aten/src/ATen/native/cuda/DepthwiseConv2d.cu",
                 "conv_depthwise2d_forward_out"),
     "void at::native::conv_depthwise2d_forward_kernel<3, c10::Half, int>(int)"},
    {"vol2col_kernel", kConv, "conv", kUnknown, "void at::native::vol2col_kernel<c10::Half>(int)"},
    {"im2col_kernel", kConv, "conv", kUnknown, "void at::native::im2col_kernel<c10::Half>(int)"},
});

constexpr auto kMiopenRules = std::to_array<Rule>({
    {"MIOpenBatchNormFwdTrainSpatial", kNorm, "batch_norm", kMiopenBatchNorm,
     "MIOpenBatchNormFwdTrainSpatial", read_nothing},
    {"MIOpenBatchNormFwdInferSpatialEst", kNorm, "batch_norm", kMiopenBatchNorm,
     "MIOpenBatchNormFwdInferSpatialEst", read_nothing},
    {"MIOpenBatchNormBwdSpatial", kNorm, "batch_norm_backward", kMiopenBatchNorm,
     "MIOpenBatchNormBwdSpatial", read_nothing},
    {"mloPoolingG", kReduce, "pool", kUnknown, "mloPoolingG", read_nothing},
    {"mloPoolingForwardNaive", kReduce, "pool", kUnknown, "mloPoolingForwardNaive", read_nothing},
    {"MIOpenNeuronFwd", kActivation, "activation", kUnknown, "MIOpenNeuronFwd", read_nothing},
    {"MIOpenSoftmax", kReduce, "softmax", kUnknown, "MIOpenSoftmax", read_nothing},
    {"SoftmaxForward", kReduce, "softmax", kUnknown, "SoftmaxForward", read_nothing},
    {"SubTensorOpWithScalar1d", kElementwise, "elementwise", kUnknown, "SubTensorOpWithScalar1d",
     read_nothing},
    {"Op2dTensorGeneric", kElementwise, "elementwise", kUnknown, "Op2dTensorGeneric", read_nothing},
    {"OpTensorFwdBias", kElementwise, "add", kUnknown, "OpTensorFwdBias", read_nothing},
    {"batched_transpose*", kCopy, "transpose", kMiopenConvolution, "batched_transpose_32x32_half",
     read_nothing},
    {"miopenSp3AsmConv*", kConv, "conv", kMiopenConvolution,
     "miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1", read_piece_dtype},
    {"miopenGcnAsmConv1x1U", kConv, "conv", kMiopenConvolution, "miopenGcnAsmConv1x1U",
     read_nothing},
    {"naive_conv*", kConv, "conv", kMiopenConvolution, "naive_conv_fwd_nchw_float_double_float",
     read_nothing},
});

}  // namespace

RuleTable cudnn_rules() {
  return {"cudnn", kCudnnRules};
}

RuleTable miopen_rules() {
  return {"miopen", kMiopenRules};
}

}  // namespace tactus::names
