// Kernels that no rule knows: what the words of their names say, and what only looks like a word.
#include <gtest/gtest.h>

#include <array>

#include "names/kernel_name.h"

namespace tactus {
namespace {

using enum Family;

TEST(Guess, looks_at_whole_words) {
  for (const char* name :
       {"void VectorOperation<Add<float>, float>(int, float, float*, Add<float>)", "dropEpilogue",
        "ColorOperator", "OperatorProperty", "attentionless_mixer", "scanline_fill",
        "quantile_kernel", "prefillTable", "addressKernel", "power_spectrum", "category_map"}) {
    EXPECT_EQ(family_name(decode_kernel_name(name).family), "other") << name;
  }
}

TEST(Guess, takes_endings_and_what_is_glued_to_a_word) {
  EXPECT_EQ(decode_kernel_name("my_quantized_thing").family, kQuantise);
  EXPECT_EQ(decode_kernel_name("myRMSNormKernelV2").family, kNorm);
  EXPECT_EQ(decode_kernel_name("rmsnormkernel").family, kNorm);
  EXPECT_EQ(decode_kernel_name("flashattn_kernel").family, kAttention);
  EXPECT_EQ(decode_kernel_name("transposed_view_kernel").family, kCopy);
  EXPECT_EQ(decode_kernel_name("cudapy::__main__::matmul$241(Array<float, 2>)").family, kGemm);
}

TEST(Guess, takes_the_first_word_of_a_fill_or_a_lookup) {
  EXPECT_EQ(decode_kernel_name("my_fill_kernel").family, kFill);
  EXPECT_EQ(decode_kernel_name("flood_fill").family, kOther);
  EXPECT_EQ(decode_kernel_name("void tensorrt_llm::kernels::lookup_kernel<half, int>(int)").family,
            kGather);
  EXPECT_EQ(decode_kernel_name("void fbgemm_gpu::lxu_cache_lookup_kernel<long>(int)").family,
            kOther);
}

TEST(Guess, sees_convolutions_that_are_products_inside) {
  for (const char* name :
       {"precomputed_convolve_sgemm", "triton_tem_fused_convolution_4",
        "cutlass3x_sm100_tensorop_s256x256x16implicit_gemm_fprop_bf16_bf16_f32_bf16_bf16_"
        "256x256x64_2x1x1_0_nhwc_align8",
        "cudnn_infer_ampere_scudnn_128x64_relu_xregs_large_nn_v1",
        "_5x_cudnn_ampere_scudnn_128x128_relu_small_nn_v1",
        "trt_volta_hcudnn_128x128_relu_small_nn_v1"}) {
    EXPECT_EQ(family_name(decode_kernel_name(name).family), "conv") << name;
  }
  EXPECT_EQ(decode_kernel_name("trt_volta_hcudnn_128x128_relu_small_nn_v1").library, "tensorrt");
  EXPECT_EQ(decode_kernel_name("trt_volta_hcudnn_128x128_relu_small_nn_v1").dtype_in, "fp16");
}

struct Types {
  const char* name;
  const char* in;
  const char* out;
};

TEST(Guess, reads_the_types_that_a_name_gives) {
  for (const Types& c : std::to_array<Types>({
           {"Cijk_Ailk_Bljk_BSS_BH_Bias_MT64x96x32_MI16x16x1_SN", "bf16", "fp32"},
           {"Cijk_Ailk_Bljk_BBS_BH_Bias_MT64x96x32_MI16x16x1_SN", "bf16", "bf16"},
           {"Cijk_Ailk_Bljk_HBH_MT64x64x16_SE", "fp16", "fp16"},
           {"Cijk_Ailk_Bljk_SB_MT64x64x16_SE", "fp32", "fp32"},
           {"Cijk_Alik_Bljk_F8BS_BH_MT128x256x32", "fp8", "bf16"},
           {"void vllm::cvt_fp16_to_fp4<__nv_bfloat16, false>(int)", "bf16", "fp4"},
           {"void aiter::dynamic_per_group_scaled_quant_kernel<std::bfloat16_t, opus::fp4_t, 32>("
            "int)",
            "bf16", "fp4"},
           {"void cutlass::device_kernel<flashinfer::gemm::DeviceGemmFp4GemmSm100_half_128_64_128_1"
            "_1_1_1SM::Gemm::GemmKernel>(int)",
            "fp4", ""},
           {"void dsv3_router_gemm_kernel<__nv_bfloat16, float, 128, 8>(float*)", "bf16", "fp32"},
           {"void per_token_group_quant_8bit_packed_kernel<c10::BFloat16, __nv_fp8_e4m3>(int)",
            "bf16", "fp8"},
           {"void layer_norm::ln_fwd_kernel<layer_norm::Kernel_traits<__nv_bfloat16, "
            "__nv_bfloat16, __nv_bfloat16, float, unsigned int, 2048u>>(int)",
            "bf16", "bf16"},
           {"nchwToNhwcKernel<__half, __half, float, false, true>", "fp16", "fp16"},
           {"void my_quant<__half, __nv_fp8_e4m3>(int)", "fp16", "fp8"},
           {"void my_quant<__half>(int)", "fp16", ""},
       })) {
    const KernelName name = decode_kernel_name(c.name);
    EXPECT_EQ(name.dtype_in, c.in) << c.name;
    EXPECT_EQ(name.dtype_out, c.out) << c.name;
  }
}

}  // namespace
}  // namespace tactus
