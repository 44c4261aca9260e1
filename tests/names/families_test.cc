// Kernels of the libraries that serve models, and what they are.
#include <gtest/gtest.h>

#include <array>

#include "names/kernel_name.h"

namespace tactus {
namespace {

TEST(Families, have_names_that_differ) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kFamilies; ++i) {
    const std::string_view name = family_name(static_cast<Family>(i));
    EXPECT_EQ(std::find(names.begin(), names.end(), name), names.end()) << name;
    names.push_back(name);
  }
  EXPECT_EQ(names.back(), "other");
}

TEST(Families, of_inductor_kernels_follow_what_they_fuse) {
  struct Case {
    const char* name;
    Family family;
    const char* op;
  };
  for (const Case& c : std::to_array<Case>({
           {"triton_poi_fused__to_copy_1", Family::kCopy, "_to_copy"},
           {"triton_poi_fused_add_bitwise_and_bitwise_not_ge_0", Family::kElementwise,
            "add,bitwise_and,bitwise_not,ge"},
           {"triton_poi_fused__unsafe_view_mul_silu_7", Family::kActivation,
            "_unsafe_view,mul,silu"},
           {"triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_13", Family::kNorm,
            "_to_copy,add,mean,mul,pow,rsqrt"},
           {"triton_per_fused__softmax_2", Family::kReduce, "_softmax"},
           {"triton_red_fused_argmax_0", Family::kSampling, "argmax"},
           {"triton_tem_fused_addmm_3", Family::kGemm, "addmm"},
           {"triton_poi_fused_0", Family::kElementwise, ""},
           {"triton_poi_fused_clamp_sub_0", Family::kBookkeeping, "clamp,sub"},
       })) {
    const KernelName name = decode_kernel_name(c.name);
    EXPECT_EQ(name.family, c.family) << c.name;
    EXPECT_EQ(name.op, c.op) << c.name;
  }
}

TEST(Families, of_copies_and_sets_are_told_by_their_words) {
  EXPECT_EQ(decode_kernel_name("Memcpy HtoD (Pinned -> Device)").family, Family::kCopy);
  EXPECT_EQ(decode_kernel_name("[CUDA memcpy Device-to-Host]").family, Family::kCopy);
  EXPECT_EQ(decode_kernel_name("Memset (Device)").family, Family::kFill);
  EXPECT_EQ(decode_kernel_name("__amd_rocclr_fillBufferAligned.kd").family, Family::kFill);
}

TEST(Families, of_kernels_that_no_rule_knows_are_guessed_by_their_words) {
  const KernelName guessed = decode_kernel_name("void mine::MyFusedRMSNormV7<float>(float*)");
  EXPECT_EQ(guessed.family, Family::kNorm);
  EXPECT_EQ(guessed.op, "rms_norm");
  EXPECT_TRUE(guessed.library.empty());
  EXPECT_FALSE(guessed.launcher);
  EXPECT_EQ(decode_kernel_name("void clover::par_ranged1d_kernel<int>(int)").family,
            Family::kOther);
}

TEST(Families, of_names_with_unknown_pieces_are_still_read) {
  const KernelName name = decode_kernel_name("nvjet_sm100_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT");
  EXPECT_EQ(name.family, Family::kGemm);
  EXPECT_EQ(name.tile, (Tile{64, 64, 64}));
  EXPECT_EQ(name.stages, 16);
  EXPECT_EQ(name.cluster, (std::array{2, 1, 1}));
}

TEST(Families, of_other_gemms_give_their_tile) {
  const KernelName tensile = decode_kernel_name(
      "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN_LDSB1_AFC1");
  EXPECT_EQ(tensile.tile, (Tile{128, 256, 32}));
  EXPECT_EQ(tensile.dtype_in, "bf16");
  const KernelName xmma = decode_kernel_name(
      "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute");
  EXPECT_EQ(xmma.tile, (Tile{128, 128, 32}));
  EXPECT_EQ(xmma.dtype_in, "tf32");
  EXPECT_EQ(xmma.dtype_out, "fp32");
  const KernelName sdpa = decode_kernel_name(
      "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_"
      "cga1x1x1_kernel0_0");
  EXPECT_EQ(sdpa.family, Family::kAttention);
  EXPECT_EQ(sdpa.tile, (Tile{64, 128, 128}));
  const KernelName fmha = decode_kernel_name(
      "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext");
  EXPECT_EQ(fmha.op, "attention_prefill");
  EXPECT_EQ(fmha.dtype_in, "fp8");
  EXPECT_EQ(fmha.dtype_out, "bf16");
  EXPECT_EQ(fmha.head_dim, 64);
}

}  // namespace
}  // namespace tactus
