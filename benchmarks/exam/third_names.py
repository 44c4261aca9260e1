"""Kernel names of the engines of the third set, as their libraries write them."""

# TensorRT-LLM
TRT_CONTEXT = "fmha_v2_flash_attention_bf16_64_128_S_q_paged_kv_128_causal_tma_ws_sm90_kernel"
TRT_MMHA = ("void tensorrt_llm::kernels::mmha::masked_multihead_attention_kernel<__nv_bfloat16, __nv_bfloat16, "
            "tensorrt_llm::kernels::KVBlockArray, tensorrt_llm::kernels::KVBlockArray, 256u, 128u, true, true, false, "
            "false, false, 1u, 8u, 4u, 4u>(tensorrt_llm::kernels::Multihead_attention_params<__nv_bfloat16, false>, "
            "tensorrt_llm::kernels::KVBlockArray, tensorrt_llm::kernels::KVBlockArray)")
TRT_XQA = "kernel_mha"
TRT_NORM = ("void tensorrt_llm::kernels::generalRmsNorm<__nv_bfloat16, __nv_bfloat16, true, false>(__nv_bfloat16 "
            "const*, __nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, float, int, int)")
TRT_ROPE = ("void tensorrt_llm::kernels::applyBiasRopeUpdateKVCacheV2<__nv_bfloat16, __nv_bfloat16, "
            "tensorrt_llm::kernels::KVBlockArray, 128, 1, (tensorrt_llm::kernels::RotaryPositionEmbeddingType)1>"
            "(tensorrt_llm::kernels::QKVPreprocessingParams<__nv_bfloat16, tensorrt_llm::kernels::KVBlockArray>)")
TRT_ACT = ("void tensorrt_llm::kernels::cutlass_kernels::doGatedActivationKernel<__nv_bfloat16, __nv_bfloat16>"
           "(__nv_bfloat16*, __nv_bfloat16 const*, long const*, long, long)")
TRT_GEMM = ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x%dx64_warpgroupsize1x1x1_execute_segment_k_off_kernel"
            "__5x_cublas")
TRT_GEMM_OTHER = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x32x64_cgasize2x1x1_stage4_warpgroupsize2x1x1"
TRT_PENALTY = ("void tensorrt_llm::kernels::batchApplyPenalty<float>"
               "(tensorrt_llm::kernels::InvokeBatchApplyPenaltyParams)")
TRT_TOPK = ("void tensorrt_llm::kernels::topKStage2Sampling<float, 256, 128>(int const*, float*, int**, int*, float*, "
            "tensorrt_llm::kernels::FinishedState const*, int const*)")

# XLA: every fusion of a program has a number
XLA_REDUCE, XLA_LOOP, XLA_DOT = "input_reduce_fusion_%d", "loop_add_fusion_%d", "gemm_fusion_dot_%d_0"
XLA_ATTENTION = "cudnn_generated_fort_native_sdpa_sm90_knob_7_128x128x128_4x1x1_cga1x1x1_kernel0_%d"
XLA_SAMPLE = "input_reduce_fusion_argmax"

# ONNX Runtime
ORT_NORM = ("void onnxruntime::contrib::cuda::SkipLayerNormKernelSmall<__half, 512u, 8, true>(__half*, __half*, __half "
            "const*, __half const*, __half const*, __half const*, __half const*, __half, int, int)")
ORT_ROPE = ("void onnxruntime::contrib::cuda::RotaryEmbeddingBSNH<__half>(__half*, __half const*, __half const*, "
            "__half const*, long const*, int, int, int, int, int, int)")
ORT_FLASH = ("void onnxruntime::flash::flash_fwd_splitkv_kernel<onnxruntime::flash::Flash_fwd_kernel_traits<128, 64, "
             "128, 4, false, false, cutlass::half_t> >(onnxruntime::flash::Flash_fwd_params)")
ORT_MUL = ("void onnxruntime::cuda::_BinaryElementWiseSimple<true, true, __half, __half, __half, "
           "onnxruntime::cuda::OP_Mul<__half, __half, __half>, 256, 4>(__half const*, __half const*, __half*, int)")
ORT_SIGMOID = ("void onnxruntime::cuda::_UnaryElementWise<__half, __half, onnxruntime::cuda::OP_Sigmoid<__half>, 256, "
               "4>(__half const*, __half*, onnxruntime::cuda::OP_Sigmoid<__half>, int)")
ORT_GATHER = "void onnxruntime::cuda::_GatherKernel<__half>(long, long, onnxruntime::cuda::fast_divmod, void const*)"
ORT_GEMM = "ampere_fp16_s16816gemm_fp16_%dx64_ldg8_f2f_stages_64x5_tn"
ORT_TOPK = "void onnxruntime::cuda::BitonicTopK<float>(float const*, float*, long*, long, long, long)"

# products of quantised weights
MARLIN = ("void marlin::Marlin<(long)844429225099264, (long)1125899906909960, (long)844429225099264, 256, 1, 8, 8, "
          "false, 4, 8, false>(int4 const*, int4 const*, int4*, int4*, int4 const*, int)")
DEEP_GEMM = ("void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, %du, 4096u, 1u, 64u, 128u, 128u, 128u, 8u, 128u, 128u, 2u, "
             "false, (deep_gemm::GemmType)0>(float*, int*, unsigned int, unsigned int, unsigned int)")
GROUP_QUANT = ("void per_token_group_quant_8bit_kernel<c10::BFloat16, c10::Float8_e4m3fn, false, false, float>"
               "(c10::BFloat16 const*, void*, float*, int, int, int, float, float, float, int, int)")
MACHETE = ("void cutlass::device_kernel<machete::MacheteKernelTemplate<cutlass::bfloat16_t, cutlass::vllm_uint4b8_t, "
           "float> >(machete::MacheteKernelTemplate::Params)")

# pictures, sound, and tables
PATCHES = ("sm80_xmma_fprop_implicit_gemm_indexed_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage4_warpsize"
           "2x2x1_g1_tensor16x8x16_kernel_cudnn")
GELU = "GeluCUDAKernelImpl"
GROUP_NORM = ("void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<c10::BFloat16, float>(long, "
              "c10::BFloat16, c10::BFloat16 const*, float*, float*)")
BAGS = ("split_embedding_codegen_forward_unweighted_kernel<float, float, float, long, 128ul>"
        "(PackedTensorAccessor64, FixedDivisor, bool, int)")
INTERACTION = "triton_poi_fused_bmm_cat_triu_4"
MULTINOMIAL = ("void at::native::(anonymous namespace)::sampleMultinomialOnce<float, float>(long*, long, int, float "
               "const*, float const*, int, int)")

# linear attention, drafts, ranks
RECURRENT, CHUNK = "fused_recurrent_fwd_kernel", "chunk_fwd_kernel_o"
TOKEN_SHIFT = "triton_poi_fused_add_lerp_sub_1"
TREE = ("void build_tree_efficient(long*, long*, long*, bool*, long*, long*, long*, int, int, int)")
SEND_RECV = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
ALL_GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
GROUPED = ("void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::GroupProblemShape"
           "<cute::tuple<int, int, int> >, cutlass::gemm::collective::CollectiveMma<> > >(Params)")
PERMUTE = "void expandInputRowsKernel<__nv_bfloat16, __nv_bfloat16>(__nv_bfloat16 const*, __nv_bfloat16*, int const*)"
