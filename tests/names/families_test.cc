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
           {"triton_poi_fused_marlin_gemm_mul_silu_slice_1", Family::kActivation,
            "marlin_gemm,mul,silu,slice"},
           {"triton_poi_fused_cutlass_scaled_mm_mul_silu_slice_1", Family::kActivation,
            "cutlass_scaled_mm,mul,silu,slice"},
           {"triton_poi_fused_clamp_copy__mul_silu_slice_0", Family::kActivation,
            "clamp,copy_,mul,silu,slice"},
           {"triton_poi_fused_addmm_gelu_view_3", Family::kActivation, "addmm,gelu,view"},
           {"triton_poi_fused__to_copy_cat_mul_silu_silu_backward_split_1", Family::kActivation,
            "_to_copy,cat,mul,silu,silu_backward,split"},
           {"triton_poi_fused_dynamic_per_token_scaled_fp8_quant_mul_silu_slice_0.kd",
            Family::kActivation, "dynamic_per_token_scaled_fp8_quant,mul,silu,slice"},
           {"triton_red_fused_fused_add_rms_norm_2", Family::kNorm, "fused_add_rms_norm"},
           {"triton_red_fused__to_copy_add_copy__fused_add_rms_norm_moe_forward_shared_3",
            Family::kNorm, "_to_copy,add,copy_,fused_add_rms_norm,moe_forward_shared"},
           {"triton_poi_fused_bitwise_and_embedding_ge_lt_masked_fill_mul_sub_0", Family::kGather,
            "bitwise_and,embedding,ge,lt,masked_fill,mul,sub"},
           {"triton_poi_fused_add_cat_index_select_mul_split_sub_unsqueeze_1", Family::kRope,
            "add,cat,index_select,mul,split,sub,unsqueeze"},
           {"triton_red_fused__to_copy_abs_amax_clamp_div_mul_reciprocal_1", Family::kQuantise,
            "_to_copy,abs,amax,clamp,div,mul,reciprocal"},
           {"triton_tem_fused_flex_attention_0", Family::kAttention, "flex_attention"},
           {"triton_poi_fused_mine_exp_mul_4", Family::kElementwise, "mine_exp,mul"},
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

TEST(Families, are_not_guessed_from_the_middle_of_a_word) {
  EXPECT_NE(decode_kernel_name("my_upsample_2d_kernel").family, Family::kSampling);
  EXPECT_NE(decode_kernel_name("my_broadcast_kernel").family, Family::kCopy);
  EXPECT_NE(decode_kernel_name("my_comma_kernel").family, Family::kGemm);  // mm
  EXPECT_EQ(decode_kernel_name("my_mm_kernel").family, Family::kGemm);
  EXPECT_EQ(decode_kernel_name("my_gemma_norm").family, Family::kNorm);  // a model
  EXPECT_EQ(decode_kernel_name("MyGemmAddKernel").family, Family::kGemm);
  EXPECT_EQ(decode_kernel_name("void MyTopKSampling<float>(int)").family, Family::kSampling);
}

/// What a kernel fuses says more than its parts.
TEST(Families, of_fused_kernels_that_no_rule_knows_are_those_of_the_whole) {
  struct Case {
    const char* name;
    Family family;
    const char* op;
  };
  using enum Family;
  for (const Case& c : std::to_array<Case>({
           {"_my_gemm_allreduce_kernel", kCollective, "all_reduce"},
           {"_my_silu_and_mul_fp8_quant_kernel", kActivation, "silu_and_mul_quant"},
           {"_my_rms_norm_fp8_quant_kernel", kNorm, "fused_rmsnorm_quant"},
           {"_my_gemm_prequant_kernel", kGemm, "gemm"},
           {"_my_quant_for_deep_gemm", kQuantise, "quantise"},
           {"_my_gemm_reduce_kernel", kSplitKReduce, "splitk_reduce"},
           {"_my_moe_gemm_quant", kMoe, "moe_gemm"},
           {"_my_qk_norm_rope", kRope, "fused_qk_rmsnorm"},
           {"_my_mqa_logits_gemm", kAttention, "mqa_logits"},
           {"_my_bias_topk", kMoe, "grouped_topk"},
           {"_my_topk_log_softmax", kSampling, "topk"},
           {"_my_topk_softmax", kMoe, "moe_topk_gating_softmax"},
           {"_my_attention_combine", kAttentionCombine, "attention_combine"},
           {"_my_fmha_bwd", kAttention, "attention_backward"},
           {"_my_dsa_topk", kSampling, "topk"},
           {"_my_dsa_wmma_kernel", kAttention, "attention"},
           {"_my_gdn_norm_quant", kNorm, "gated_rms_norm"},
           {"_my_q_rope_hadamard_quant", kRope, "rope"},
           {"_my_mhc_prenorm_gemm", kGemm, "gemm"},
           {"_my_mhc_post", kElementwise, "hyper_connection"},
           {"_my_scatter_add", kGather, "scatter"},
           {"void moe::hashTopk<int>(int)", kMoe, "moe"},
           {"_my_swa_indices", kAttentionPrepare, "attention_prepare"},
       })) {
    const KernelName name = decode_kernel_name(c.name);
    EXPECT_EQ(family_name(name.family), family_name(c.family)) << c.name;
    EXPECT_EQ(name.op, c.op) << c.name;
  }
}

TEST(Families, of_products_give_no_type_that_may_be_of_something_else) {
  EXPECT_EQ(decode_kernel_name("_my_fp8_gemm").dtype_in, "fp8");
  EXPECT_EQ(decode_kernel_name("my_hgemm_bf16_128x128").dtype_in, "bf16");
  EXPECT_EQ(decode_kernel_name("my_sgemm_kernel").dtype_in, "fp32");
  EXPECT_EQ(decode_kernel_name("_my_fp8_gemm_bf16").dtype_in, "");
  EXPECT_EQ(decode_kernel_name("_my_w8a16_fp8_gemm").dtype_in, "");
  EXPECT_EQ(decode_kernel_name("void my_gemm<float, __nv_bfloat16>(int)").dtype_in, "");
  EXPECT_EQ(decode_kernel_name("void my_rope<float, __nv_bfloat16>(int)").dtype_in, "");
  EXPECT_EQ(decode_kernel_name("void my_rope<8, __nv_bfloat16, long>(int)").dtype_in, "bf16");
}

TEST(Families, of_cutlass_kernels_give_tile_and_cluster) {
  const KernelName blocks = decode_kernel_name(
      "cutlass3x_sm100_bstensorop_s128x256x64gemm_block_scaled_ue4m3xe2m1_ue4m3xe2m1_f32_bf16_bf16_"
      "128x256x256_4x4x1_0_tnn_align32_2sm_epi_tma");
  EXPECT_EQ(blocks.dtype_in, "fp4");
  EXPECT_EQ(blocks.dtype_out, "bf16");
  EXPECT_EQ(blocks.tile, (Tile{128, 256, 256}));
  EXPECT_EQ(blocks.cluster, (std::array{4, 4, 1}));
  EXPECT_FALSE(blocks.stages);  // 0: as many as fit
  const KernelName simt = decode_kernel_name(
      "cutlass3x_sm100_simt_sgemm_f32_f32_f32_f32_f32_128x64x16_1x1x1_3_tnn_align1_bias_f32_relu");
  EXPECT_EQ(simt.stages, 3);
  const KernelName blockwise = decode_kernel_name(
      "cutlass3x_sm100_tensorop_gemm_1x128f32xe4m3_128x128f32xe4m3_f32_f16_f16_128x128x128_1x1x1_0_"
      "tnn_align16_1sm");
  EXPECT_EQ(blockwise.dtype_in, "fp8");
  EXPECT_EQ(blockwise.dtype_out, "fp16");
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
  const KernelName options = decode_kernel_name(
      "_gemm_afp4wfp4_preshuffle_kernel_BLOCK_SIZE_M_8_BLOCK_SIZE_N_32_BLOCK_SIZE_K_256.kd");
  EXPECT_EQ(options.tile, (Tile{8, 32, 256}));
}

/// A library's name says nothing about what its kernel does.
TEST(Families, of_library_kernels_come_from_their_own_words) {
  struct Case {
    const char* name;
    Family family;
    const char* library;
  };
  using enum Family;
  for (const Case& c : std::to_array<Case>({
           {"void fbgemm_gpu::permute_2D_data_kernel<true, long, float>(int, int)", kGather,
            "fbgemm"},
           {"_ZN10fbgemm_gpu22permute_2D_data_kernelILb1ElfEEviiiPKT0_", kGather, "fbgemm"},
           {"void fbgemm_gpu::permute_1D_data_kernel<false, int, double>(int)", kGather, "fbgemm"},
           {"void fbgemm_gpu::_FP8rowwise_to_float_cuda_kernel<c10::Half>(unsigned char const*)",
            kQuantise, "fbgemm"},
           {"void fbgemm_gpu::_float_to_FP8rowwise_cuda_kernel<float>(float const*)", kQuantise,
            "fbgemm"},
           {"void fbgemm_gpu::_float_to_bfloat16_cuda_kernel(float const*)", kCopy, "fbgemm"},
           {"void fbgemm_gpu::jagged_dense_elementwise_dense_output_kernel_<1, long, float>(int)",
            kElementwise, "fbgemm"},
           {"void fbgemm_gpu::jagged_jagged_bmm_kernel<32, 8, long, float>(int)", kGemm, "fbgemm"},
           {"void split_embedding_codegen_forward_unweighted_kernel<float, float, float, "
            "long>(int)",
            kGather, "fbgemm"},
           {"void fbgemm_gpu::lxu_cache_lookup_kernel<long>(int)", kOther, "fbgemm"},
           {"void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float)", kNorm,
            "cudnn"},
           {"void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>(int)", kNorm, "cudnn"},
           {"void cudnn::bn_fw_inf_1C11_kernel_NCHW<float, float, true, 1>(float)", kNorm, "cudnn"},
           {"void cudnn::ops::softmax_fw_kernel<2, float, float, 256>(int)", kReduce, "cudnn"},
           {"void cudnn::ops::pooling_fw_4d_kernel<float, float, "
            "cudnn::maxpooling_func<float>>(int)",
            kReduce, "cudnn"},
           {"void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true>(int)", kCopy,
            "cudnn"},
           {"void cudnn::cnn::conv2d_grouped_direct_kernel<false, true, __half>(int)", kConv,
            "cudnn"},
           {"void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(int)", kConv,
            "cudnn"},
           {"void cudnn::mystery_kernel<float>(int)", kOther, "cudnn"},
           {"volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc_tn_v1", kConv, "cudnn"},
           {"turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_interior_nhwc_tn_v1", kConv,
            "cudnn"},
           {"ampere_scudnn_128x64_relu_small_nn_v1", kConv, "cudnn"},
           {"volta_sgemm_128x64_nn", kGemm, "cublas"},
           {"sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_"
            "tilesize128x128x16",
            kConv, "cudnn"},
           {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __half, float, __half>(int)",
            kSplitKReduce, "cublas"},
           {"void cublasLt::epilogue::impl::globalKernel<8, 32, float, __half, __half, true, "
            "true>(int)",
            kSplitKReduce, "cublas"},
           {"void cutlass::Kernel<cutlass::reduction::kernel::ReduceSplitK<cutlass::MatrixShape<4, "
            "32>>>(int)",
            kSplitKReduce, "cutlass"},
           {"void cutlass::Kernel2<cutlass::gemm::kernel::Mine<float>>(int)", kGemm, "cutlass"},
           {"void cutlass::Kernel2<cutlass::reduction::kernel::TensorReduceAffineStrided<3>>(int)",
            kReduce, "cutlass"},
           {"kernel_cutlass_kernel_quackrmsnormRMSNorm_object_at__tensorptrbf16gmem", kNorm,
            "quack"},
           {"void ck::kernel_elementwise_1d<ck::GridwiseElementwise_1D<float>>(int)", kElementwise,
            "composable_kernel"},
           {"void "
            "ck::kernel_reduce_threadwise<ck::GridwiseReduction_mk_to_m_threadwise<float>>(int)",
            kReduce, "composable_kernel"},
           {"void ck_tile::kentry<1, ck_tile::BatchedTransposeKernel<ck_tile::Pipe>>(int)", kCopy,
            "composable_kernel"},
           {"Cijk_Ailk_Bljk_SB_MT64x64x16_SE_1LDSB0_APM1", kGemm, "hipblaslt"},
           {"Cijk_S_Bias_SAV_UserArgs_PostGSU8_VW4", kSplitKReduce, "hipblaslt"},
           {"Cijk_SB_GB", kElementwise, "hipblaslt"},
           {"MIOpenBatchNormFwdTrainSpatial", kNorm, "miopen"},
           {"MIOpenBatchNormBwdSpatial", kNorm, "miopen"},
           {"miopenSp3AsmConv_v30_3_1_gfx9_fp16_dot2_f3x2_stride1", kConv, "miopen"},
           {"batched_transpose_64x32_pack_2x2_ediv_1x2_half", kCopy, "miopen"},
           {"void deep_gemm::transpose_and_pack_fp32_into_ue8m0<512u, 64u, 56u>(float*)", kCopy,
            "deep_gemm"},
           {"void deep_gemm::sm100_bf16_gemm_impl<0u, 0u, 4096u>(int)", kGemm, "deep_gemm"},
           {"void deep_gemm::smxx_clean_logits<1u, 8192u, 8u>(unsigned int)", kFill, "deep_gemm"},
           {"void aiter::mystery_kernel<float>(int)", kOther, "aiter"},
           {"void transformer_engine::normalization::ln_fwd_tuned_kernel<float>(int)", kNorm,
            "transformer_engine"},
           {"void moe::dev::finalize::someKernel<float>(int)", kMoe, ""},
       })) {
    const KernelName name = decode_kernel_name(c.name);
    EXPECT_EQ(family_name(name.family), family_name(c.family)) << c.name;
    EXPECT_EQ(name.library, c.library) << c.name;
  }
}

}  // namespace
}  // namespace tactus
