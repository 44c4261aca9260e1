"""Kernel names as engines and libraries write them into traces."""

_ARGMAX = ("at::native::ReduceOp<float, at::native::ArgMaxOps<float>, unsigned int, long, 4, 4>")
_MEAN = ("at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4, 4>")
_OPAQUE = "at::native::(anonymous namespace)::OpaqueType<2u>"
_BF16_PAGED = "<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, int>"
_CIJK = "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT%s_MI16x16x1_SN_LDSB1_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0"

ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
GATHER = "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, long, long, bool)"
ARGMAX = f"void at::native::reduce_kernel<512, 1, {_ARGMAX} >({_ARGMAX})"
MEAN = f"void at::native::reduce_kernel<512, 1, {_MEAN} >({_MEAN})"
SOFTMAX = ("void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float, "
           "at::native::(anonymous namespace)::SoftMaxForwardEpilogue>(float*, float const*, int)")
SOFTMAX_SMALL = ("void (anonymous namespace)::softmax_warp_forward<float, float, float, 1, false, false>"
                 "(float*, float const*, int, int, int)")
CAT = (f"void at::native::(anonymous namespace)::CatArrayBatchedCopy<{_OPAQUE}, unsigned int, 4, 64, 64>({_OPAQUE}*)")
INDEX_COPY = ("void at::native::index_elementwise_kernel<128, 4, at::native::index_copy_kernel_impl"
              "<at::native::OpaqueType<2> >(at::TensorIterator&, long, long, long)::{lambda(int)#1}>(long)")
LAYER_NORM = ("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"
              "(int, float, c10::BFloat16 const*)")
FLASH_SPLIT = ("void pytorch_flash::flash_fwd_splitkv_kernel<pytorch_flash::Flash_fwd_kernel_traits"
               "<128, 64, 128, 4, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_fwd_params)")
FLASH_TORCH = ("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits"
               "<128, 128, 64, 4, false, false, cutlass::bfloat16_t>, false, true>(pytorch_flash::Flash_fwd_params)")
FLASH_PACKED = ("void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, "
                "cutlass::bfloat16_t, Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t> >, "
                "false, true, false, false, true, true, false>(Flash_fwd_params)")
FLASH_OTHER = ("void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits"
               "<128, 64, 128, 4, false, false, cutlass::bfloat16_t> >(Flash_fwd_params)")
FLASH_HOPPER = ("void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90"
                "<flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1> >, "
                "cute::tuple<cute::C<128>, cute::C<128>, cute::C<128> > > > > >(flash::FlashAttnFwdSm90::Params)")
FMHA = ("fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::bfloat16_t, "
        "cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)")
TRITON_NORM = "triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_%d"
TRITON_SILU = "triton_poi_fused_mul_silu_2"
TRITON_NEW = "triton_poi_fused_cat_mul_neg_7"
XMMA = ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_segment_k_off_kernel"
        "__5x_cublas")
CONV = ("sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_warpgroupsize1x1x1_g1"
        "_execute_segment_k_off_kernel__5x_cudnn")
BATCH_NORM = ("void cudnn::bn_fw_inf_1C11_kernel_NHWC<__nv_bfloat16, float, true, 1>"
              "(float, float, cudnnTensorStruct, __nv_bfloat16 const*)")
UPSAMPLE = ("void at::native::(anonymous namespace)::upsample_nearest2d_out_frame<c10::BFloat16>"
            "(c10::BFloat16 const*, c10::BFloat16*, unsigned long, unsigned long)")

# vLLM
VLLM_NORM = ("void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>"
             "(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, float, int, int)")
VLLM_ROPE = ("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, "
             "c10::BFloat16 const*, int, long, long, int, int, int)")
VLLM_CACHE = ("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, (vllm::Fp8KVCacheDataType)0>"
              "(__nv_bfloat16 const*, __nv_bfloat16 const*)")
VLLM_ACT = ("void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 vllm::silu_kernel<c10::BFloat16>"
            "(c10::BFloat16 const&)), true>(c10::BFloat16*, c10::BFloat16 const*, int)")
VLLM_TOPK = ("void vllm::moe::topkGatingSoftmax<8, 64, 4, 16, int>"
             "(float const*, bool const*, float*, int, int*, int*, int, int, int)")
VLLM_ALIGN = ("void vllm::moe::moe_align_block_size_kernel<int>"
              "(int const*, int*, int*, int*, int, int, int, unsigned long)")
VLLM_QUANT = ("void vllm::dynamic_per_token_scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>"
              "(c10::Float8_e4m3fn*, float*, c10::BFloat16 const*, float const*, int, long, long)")
CUTLASS_FP8 = ("void cutlass::device_kernel<vllm::enable_sm90_or_later<cutlass::gemm::kernel::GemmUniversal"
               "<cute::tuple<int, int, int, int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::"
               "MainloopSm90TmaGmmaWarpSpecializedFP8<%d, cute::tuple<cute::C<2>, cute::C<1>, cute::C<1> > > > > > >"
               "(cutlass::gemm::kernel::Params)")
MOE_GATE = "nvjet_sm90_tst_64x8_64x16_1x4_h_bz_TNT"
FUSED_MOE = "fused_moe_kernel"
LORA_SHRINK, LORA_EXPAND = "_lora_shrink_kernel", "_lora_expand_kernel"
CONV_UPDATE, SCAN_UPDATE = "_causal_conv1d_update_kernel", "_selective_scan_update_kernel"

# SGLang, on NVIDIA and on AMD
INFER_DECODE = ("void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0, 2u, 2u, 8u, 16u, "
                "4u, 2u, flashinfer::DefaultAttention<false, false, false, false>, flashinfer::BatchDecodeParams"
                f"{_BF16_PAGED} >(flashinfer::BatchDecodeParams{_BF16_PAGED})")
INFER_PREFILL = ("void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits"
                 "<(flashinfer::MaskMode)1, 128u, 2u, 1u, 8u, 8u, 4u, 1u>, flashinfer::BatchPrefillPagedParams"
                 f"{_BF16_PAGED} >(flashinfer::BatchPrefillPagedParams{_BF16_PAGED})")
INFER_NORM = ("void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*, __nv_bfloat16*, "
              "__nv_bfloat16*, unsigned int, unsigned int, unsigned int, float, float)")
INFER_ACT = ("void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, &silu>"
             "(__nv_bfloat16*, __nv_bfloat16 const*, int)")
SGL_ROPE = ("void rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, "
            "c10::BFloat16 const*, int, long, long, int, int, int)")
SGL_STORE = ("void (anonymous namespace)::store_kvcache<2048l, 4, false, long>"
             "((anonymous namespace)::StoreKVCacheParams)")
AITER_DECODE = "_ZN5aiter14pa_fwd_kernelIDF16bLi16ELi128EEEvPT_S2_S2_"
AITER_NORM = "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb1ELb0ELb1ELi1EEEvPT0_PT_PfS4_S4_S4_diiiiiii"
CK_PREFILL = ("_ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelINS_40BlockFmhaBatchPrefillPipeline"
              "QRKSVSAsyncEEEEEvT0_")
HIP_ACT = ("_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_S5_EEEEvPS3_"
           "PKS3_i")

# llama.cpp
GGML_VEC = "void mul_mat_vec_q<(ggml_type)12, %d, false, false>(void const*, void const*, int const*, float*)"
GGML_MAT = "void mul_mat_q<(ggml_type)12, 128, false>(char const*, int const*, int const*, int const*, float*)"
GGML_QUANT = "quantize_q8_1(float const*, void*, long, long, long, long, long, int, int)"
GGML_NORM = "void rms_norm_f32<1024, true, false>(float const*, float*, int, long, long, long, float)"
GGML_ROPE = "void rope_norm<true, false, float>(float const*, float*, int, int, int, int, int, int const*, float)"
GGML_FLASH = "void flash_attn_ext_vec<128, 1, (ggml_type)1, (ggml_type)1, false>(char const*, char const*, char const*)"
GGML_ADD = "void k_bin_bcast<&(op_add(float, float)), float, float, float>(float const*, float const*, float*, int)"
GGML_SILU = "void unary_gated_op_kernel<&(op_silu(float)), float>(float const*, float const*, float*, long, long, long)"


def elementwise(functor):
    kind = f"at::native::{functor}<c10::BFloat16>"
    arrays = "std::array<char*, 3ul>"
    return f"void at::native::vectorized_elementwise_kernel<8, {kind}, {arrays} >(int, {kind}, {arrays})"


def product(tokens, which):
    """cuBLAS chooses the kernel by the number of rows."""
    if tokens <= 64:
        return ("nvjet_sm90_tst_64x32_64x16_2x1_v_bz_TNT", "nvjet_sm90_tst_128x32_64x10_4x1_v_bz_TNT")[which]
    if tokens <= 512:
        return ("nvjet_sm90_tst_128x128_64x5_2x1_v_bz_TNT", "nvjet_sm90_tst_192x128_64x5_2x1_v_bz_TNT")[which]
    return ("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT", "nvjet_sm90_tst_320x128_64x3_1x2_h_bz_coopB_TNT")[which]


def product_amd(tokens, which):
    few, many = (("32x32x256", "256x192x64"), ("16x16x256", "320x224x64"))[which]
    return _CIJK % (few if tokens <= 64 else many)
