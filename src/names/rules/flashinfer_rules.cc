#include "names/readers/attention_readers.h"
#include "names/readers/gemm_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kPrefillPaged{"flashinfer/include/flashinfer/attention/prefill.cuh",
                                 "BatchPrefillWithPagedKVCacheDispatched"};
constexpr Launcher kPrefillRagged{"flashinfer/include/flashinfer/attention/prefill.cuh",
                                  "BatchPrefillWithRaggedKVCacheDispatched"};
constexpr Launcher kPrefillSingle{"flashinfer/include/flashinfer/attention/prefill.cuh",
                                  "SinglePrefillWithKVCacheDispatched"};
constexpr Launcher kHopper{"flashinfer/include/flashinfer/attention/hopper/prefill_sm90.cuh", ""};
constexpr Launcher kDecode{"flashinfer/include/flashinfer/attention/decode.cuh",
                           "BatchDecodeWithPagedKVCacheDispatched"};
constexpr Launcher kMla{"flashinfer/include/flashinfer/attention/mla.cuh",
                        "BatchMLAPagedAttention"};
constexpr Launcher kCascade{"flashinfer/include/flashinfer/attention/cascade.cuh", ""};
constexpr Launcher kActivationJit{"flashinfer/flashinfer/jit/activation.py", ""};
constexpr Launcher kNormFile{"flashinfer/include/flashinfer/norm.cuh", ""};
constexpr Launcher kRopeFile{"flashinfer/include/flashinfer/pos_enc.cuh",
                             "BatchQKApplyRotaryPosIdsCosSinCache"};
constexpr Launcher kPage{"flashinfer/include/flashinfer/page.cuh", "AppendPagedKVCache"};
constexpr Launcher kSamplingFile{"flashinfer/include/flashinfer/sampling.cuh", ""};

constexpr auto kRules = std::to_array<Rule>({
    {"BatchPrefillWithPagedKVCacheKernel", kAttention, "attention", kPrefillPaged,
     "void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<"
     "(flashinfer::MaskMode)0, 16u, 1u, 2u, 8u, 8u, 1u, 4u>, PagedParams>(PagedParams)",
     read_flashinfer_prefill},
    {"BatchPrefillWithRaggedKVCacheKernel", kAttention, "attention_prefill", kPrefillRagged,
     "void flashinfer::BatchPrefillWithRaggedKVCacheKernel<flashinfer::KernelTraits<"
     "(flashinfer::MaskMode)1, 128u, 2u, 2u, 8u, 8u, 4u, 1u>, RaggedParams>(RaggedParams)",
     read_flashinfer_prefill},
    {"SinglePrefillWithKVCacheKernel", kAttention, "attention_prefill", kPrefillSingle,
     "void flashinfer::SinglePrefillWithKVCacheKernel<flashinfer::KernelTraits<"
     "(flashinfer::MaskMode)1, 128u, 2u, 2u, 4u, 4u, 4u, 1u>, Params>(Params)",
     read_flashinfer_prefill},
    {"PrefillWithKVCacheKernel", kAttention, "attention_prefill", kHopper,
     "void flashinfer::PrefillWithKVCacheKernel<flashinfer::CollectiveMainloop<cutlass::half_t>, "
     "flashinfer::CollectiveEpilogue<int>>(int)"},
    {"BatchDecodeWithPagedKVCacheKernel", kAttention, "attention_decode", kDecode,
     "void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0, 2u, 4u, "
     "8u, 16u, 1u, 8u, flashinfer::DefaultAttention<false>, Params>(Params)"},
    {"SingleDecodeWithKVCacheKernel", kAttention, "attention_decode", kDecode,
     "void flashinfer::SingleDecodeWithKVCacheKernel<(flashinfer::PosEncodingMode)0, 2u>(Params)"},
    {"BatchMLAPagedAttentionKernel", kAttention, "attention_decode", kMla,
     "void flashinfer::mla::BatchMLAPagedAttentionKernel<flashinfer::mla::KernelTraits<true, 2u, "
     "__nv_bfloat16>, Params>(Params)"},
    {"BatchMLAPageAttentionHopperKernel", kAttention, "attention_decode",
     launched_in("flashinfer/include/flashinfer/attention/mla_hopper.cuh"),
     "void flashinfer::mla::hopper::BatchMLAPageAttentionHopperKernel<KernelTraits<__nv_bfloat16>, "
     "Params>(Params)"},
    {"PersistentKernelTemplate BlockBatchPagedAttentionPersistent", kAttention, "attention",
     launched_in("flashinfer/include/flashinfer/attention/persistent.cuh",
                 "BatchPagedAttentionPersistent"),
     "void flashinfer::PersistentKernelTemplate<flashinfer::BlockBatchPagedAttentionPersistent<"
     "int>>(int)",
     read_nothing},
    {"PersistentVariableLengthMergeStatesKernel", kAttentionCombine, "attention_combine", kCascade,
     "void flashinfer::PersistentVariableLengthMergeStatesKernel<8u, 16u, 8u, 4u, __nv_bfloat16, "
     "__nv_bfloat16, int>(__nv_bfloat16*, float*)"},
    {"PersistentVariableLengthAttentionSumKernel", kAttentionCombine, "attention_combine", kCascade,
     "void flashinfer::PersistentVariableLengthAttentionSumKernel<8u, 16u, 8u, 4u, half>(half*)"},
    {"MergeStatesKernel", kAttentionCombine, "attention_combine", kCascade,
     "void flashinfer::MergeStatesKernel<8u, __nv_bfloat16, __nv_bfloat16>(__nv_bfloat16*)"},
    {"MergeStateKernel", kAttentionCombine, "attention_combine", kCascade,
     "void flashinfer::MergeStateKernel<8u, half, half>(half*)"},
    {"MergeStateInPlaceKernel", kAttentionCombine, "attention_combine", kCascade,
     "void flashinfer::MergeStateInPlaceKernel<8u, half>(half*)"},
    {"sparse_mla_decode_dsv4_merge_kernel", kAttentionCombine, "attention_combine", kUnknown,
     "void flashinfer::sparse_mla_sm120::sparse_mla_decode_dsv4_merge_kernel<32, 512, 64, 8>("
     "__nv_bfloat16*)",
     read_nothing},
    {"sparse_mla_decode*", kAttention, "attention_decode", kUnknown,
     "void flashinfer::sparse_mla_sm120::sparse_mla_decode_dsv3_2_kernel<(ModelType)2, 32, 2048, "
     "64>(int)",
     read_nothing},
    {"sparse_mla_prefill*", kAttention, "attention_prefill", kUnknown,
     "void flashinfer::sparse_mla_sm120::sparse_mla_prefill_kernel<(ModelType)2, 32>(int)",
     read_nothing},
    {"FlatKernelTmaWarpSpecializedDeltaRule", kAttention, "chunk_gated_delta_rule", kUnknown,
     "void cutlass::device_kernel<flat::kernel::FlatKernelTmaWarpSpecializedDeltaRule<"
     "flat::collective::FlatMainloopTmaWarpSpecializedDeltaRule<cutlass::bfloat16_t, float>>>("
     "int)"},
    {"router_gemm_kernel trtllm_dsv3_router_gemm", kMoe, "moe_router_gemm", kUnknown,
     "void flashinfer::trtllm_dsv3_router_gemm::router_gemm_kernel<__nv_bfloat16, float, 128, 8, "
     "16, 256, 7168>(float*)",
     read_router_gemm},

    {"AppendPagedKVCacheKernel", kKvWrite, "reshape_and_cache", kPage,
     "void flashinfer::AppendPagedKVCacheKernel<128u, 8u, __nv_bfloat16, int>(int)"},
    {"AppendPagedKVCacheDecodeKernel", kKvWrite, "reshape_and_cache", kPage,
     "void flashinfer::AppendPagedKVCacheDecodeKernel<128u, 8u, __nv_bfloat16, int>(int)"},
    {"AppendPagedKVMlaCacheKernel", kKvWrite, "concat_and_cache_mla", kPage,
     "void flashinfer::AppendPagedKVMlaCacheKernel<512u, 64u, 2u, __nv_bfloat16, int>(int)"},

    {"act_and_mul_kernel flashinfer silu", kActivation, "silu_and_mul", kActivationJit,
     "void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, &silu<float>>(T1 *, int)"},
    {"act_and_mul_kernel flashinfer gelu_tanh", kActivation, "gelu_tanh_and_mul", kActivationJit,
     "void flashinfer::activation::act_and_mul_kernel<half, &gelu_tanh<float>>(T1 *, int)"},
    {"act_and_mul_kernel flashinfer gelu", kActivation, "gelu_and_mul", kActivationJit,
     "void flashinfer::activation::act_and_mul_kernel<half, &gelu<float>>(T1 *, int)"},
    {"act_and_mul_kernel flashinfer", kActivation, "act_and_mul", kActivationJit,
     "void flashinfer::activation::act_and_mul_kernel<half, &mine<float>>(T1 *, int)"},
    {"act_only_kernel", kActivation, "activation", kActivationJit,
     "void flashinfer::activation::act_only_kernel<half, &gelu_quick<float>>(T1 *, int)"},

    {"FusedAddRMSNormKernel", kNorm, "add_rms_norm", kNormFile,
     "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*)",
     read_flashinfer_vector},
    {"FusedAddRMSNormQuantKernel", kNorm, "fused_rmsnorm_quant", kNormFile,
     "void flashinfer::norm::FusedAddRMSNormQuantKernel<8u, __nv_bfloat16, __nv_fp8_e4m3>(int)",
     read_flashinfer_vector},
    {"RMSNormQuantKernel", kNorm, "fused_rmsnorm_quant", kNormFile,
     "void flashinfer::norm::RMSNormQuantKernel<8u, __nv_bfloat16, __nv_fp8_e4m3>(int)",
     read_flashinfer_vector},
    {"QKRMSNormKernel", kNorm, "fused_qk_rmsnorm", kNormFile,
     "void flashinfer::norm::QKRMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*)",
     read_flashinfer_vector},
    {"RMSNormKernel", kNorm, "rms_norm", kNormFile,
     "void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*)",
     read_flashinfer_vector},
    {"GemmaRMSNormKernel", kNorm, "rms_norm", kNormFile,
     "void flashinfer::norm::GemmaRMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*)",
     read_flashinfer_vector},
    {"generalLayerNorm flashinfer", kNorm, "layer_norm", kNormFile,
     "void flashinfer::norm::generalLayerNorm<__nv_bfloat16, float>(int)"},

    {"BatchQKApplyRotaryPosIdsCosSinCacheKernel", kRope, "rope", kRopeFile,
     "void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheKernel<false, 128u, 8u, 16u, "
     "__nv_bfloat16, long>(__nv_bfloat16*)",
     read_flashinfer_rope},
    {"BatchQKApplyRotaryPosIdsCosSinCacheHeadParallelismKernel", kRope, "rope", kRopeFile,
     "void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheHeadParallelismKernel<false, 128u, 8u, "
     "16u, __nv_bfloat16, long>(__nv_bfloat16*)",
     read_flashinfer_rope},
    {"BatchQKApplyRotaryPosIdsCosSinCacheEnhancedKernel", kRope, "rope", kRopeFile,
     "void BatchQKApplyRotaryPosIdsCosSinCacheEnhancedKernel<false, 128u, 8u, 16u, half, "
     "long>(int)",
     read_flashinfer_rope},
    {"BatchQKApplyRotaryPosIdsKernel", kRope, "rope", kRopeFile,
     "void flashinfer::BatchQKApplyRotaryPosIdsKernel<false, 128u, 8u, 16u, half, int>(half*)",
     read_flashinfer_rope},
    {"BatchQKApplyRotaryPosIdsHeadParallelismKernel", kRope, "rope", kRopeFile,
     "void flashinfer::BatchQKApplyRotaryPosIdsHeadParallelismKernel<false, 128u, 8u, 16u, half>("
     "half*)",
     read_flashinfer_rope},
    {"BatchQKApplyRotaryKernel", kRope, "rope", kRopeFile,
     "void flashinfer::BatchQKApplyRotaryKernel<false, 128u, 8u, 16u, half, int>(half*)",
     read_flashinfer_rope},
    {"RopeQuantizeKernel", kRope, "rope", kRopeFile,
     "void flashinfer::RopeQuantizeKernel<true, 8u, 32u, __nv_bfloat16, int, __nv_fp8_e4m3>(int)"},

    {"TopKTopPSamplingFromProbKernel", kSampling, "top_k_top_p_sample", kSamplingFile,
     "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u, (cub::A)2, float, "
     "int>(int)"},
    {"TopPSamplingFromProbKernel", kSampling, "top_p_sample", kSamplingFile,
     "void flashinfer::sampling::TopPSamplingFromProbKernel<1024u, (cub::A)2, float, int>(int)"},
    {"TopKSamplingFromProbKernel", kSampling, "top_k_sample", kSamplingFile,
     "void flashinfer::sampling::TopKSamplingFromProbKernel<1024u, (cub::A)2, float, int>(int)"},
    {"MinPSamplingFromProbKernel", kSampling, "min_p_sample", kSamplingFile,
     "void flashinfer::sampling::MinPSamplingFromProbKernel<1024u, (cub::A)2, float, int>(int)"},
    {"SamplingFromProbKernel", kSampling, "sample", kSamplingFile,
     "void flashinfer::sampling::SamplingFromProbKernel<1024u, (cub::A)2, float, int>(int)"},
    {"SamplingFromLogitsKernel", kSampling, "sample", kSamplingFile,
     "void flashinfer::sampling::SamplingFromLogitsKernel<1024u, (cub::A)2, float, int>(int)"},
    {"TopKRenormProbKernel", kSampling, "topk_filter", kSamplingFile,
     "void flashinfer::sampling::TopKRenormProbKernel<1024u, (cub::A)2, 4u, float, int>(int)"},
    {"TopPRenormProbKernel", kSampling, "top_p_filter", kSamplingFile,
     "void flashinfer::sampling::TopPRenormProbKernel<1024u, (cub::A)2, 4u, float>(int)"},
    {"TopKMaskLogitsKernel", kSampling, "topk_filter", kSamplingFile,
     "void flashinfer::sampling::TopKMaskLogitsKernel<1024u, (cub::A)2, 4u, float, int>(int)"},
    {"OnlineSoftmaxFusedKernel", kReduce, "softmax", kSamplingFile,
     "void flashinfer::sampling::OnlineSoftmaxFusedKernel<1024u, 4u, float>(float*)"},
    {"OnlineSoftmaxMapKernel", kReduce, "softmax", kSamplingFile,
     "void flashinfer::sampling::OnlineSoftmaxMapKernel<1024u, 4u, float>(float*)"},
    {"OnlineSoftmaxReduceKernel", kReduce, "softmax", kSamplingFile,
     "void flashinfer::sampling::OnlineSoftmaxReduceKernel<1024u, 4u, float>(float*)"},
    {"ChainSpeculativeSampling", kSampling, "speculative_sample", kSamplingFile,
     "void flashinfer::sampling::ChainSpeculativeSampling<1024u, (cub::A)2, float, int>(int)"},
    {"RadixTopKKernel_Unified", kSampling, "topk",
     launched_in("flashinfer/include/flashinfer/topk.cuh"),
     "void flashinfer::sampling::RadixTopKKernel_Unified<1024u, 4u, float, int>(float*)"},
});

}  // namespace

RuleTable flashinfer_rules() {
  return {"flashinfer", kRules};
}

}  // namespace tactus::names
