#include "names/readers/gemm_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kNccl{"nccl/src/enqueue.cc", "ncclLaunchKernel"};
constexpr Launcher kVllmCustom{"vllm/csrc/custom_all_reduce.cuh", "allreduce", false};
constexpr Launcher kQuick{"vllm/csrc/quickreduce/quick_reduce.h", "allreduce", false};
constexpr Launcher kSymmetric{
    "pytorch/torch/csrc/distributed/c10d/symm_mem/CUDASymmetricMemoryOps.cu", ""};
constexpr Launcher kTrtllmFusion{"flashinfer/include/flashinfer/comm/trtllm_allreduce_fusion.cuh",
                                 "allreduce_fusion_kernel_launcher", false};
constexpr Launcher kTrtllmReduce{"flashinfer/include/flashinfer/comm/trtllm_allreduce.cuh", "",
                                 false};
constexpr Launcher kDeepEp{"deep_ep/csrc/kernels/intranode.cu", "", false};
constexpr Launcher kDeepEpLow{"deep_ep/csrc/kernels/internode_ll.cu", ""};

constexpr auto kRules = std::to_array<Rule>({
    {"ncclDevKernel_AllReduce*", kCollective, "all_reduce", kNccl,
     "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     read_piece_dtype},
    {"ncclKernel_AllReduce*", kCollective, "all_reduce", kNccl,
     "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", read_piece_dtype},
    {"ncclDevKernel_AllGather*", kCollective, "all_gather", kNccl,
     "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", read_piece_dtype},
    {"ncclKernel_AllGather*", kCollective, "all_gather", kNccl,
     "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)", read_piece_dtype},
    {"ncclDevKernel_ReduceScatter*", kCollective, "reduce_scatter", kNccl,
     "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     read_piece_dtype},
    {"ncclKernel_ReduceScatter*", kCollective, "reduce_scatter", kNccl,
     "ncclKernel_ReduceScatter_RING_LL_Sum_half(ncclWorkElem)", read_piece_dtype},
    {"ncclDevKernel_SendRecv*", kCollective, "send_recv", kNccl,
     "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", read_piece_dtype},
    {"ncclKernel_SendRecv*", kCollective, "send_recv", kNccl,
     "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", read_piece_dtype},
    {"ncclDevKernel_Broadcast*", kCollective, "broadcast", kNccl,
     "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", read_piece_dtype},
    {"ncclKernel_Broadcast*", kCollective, "broadcast", kNccl,
     "ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclWorkElem)", read_piece_dtype},
    {"ncclDevKernel_Reduce*", kCollective, "reduce", kNccl,
     "ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", read_piece_dtype},
    {"ncclDevKernel_Generic*", kCollective, "collective", kNccl,
     "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", read_piece_dtype},
    {"ncclDevKernel*", kCollective, "collective", kNccl, "ncclDevKernel_Something(int)",
     read_piece_dtype},
    {"ncclKernel*", kCollective, "collective", kNccl, "ncclKernel_Something(int)",
     read_piece_dtype},
    {"ncclSymkDevKernel_AllReduce*", kCollective, "all_reduce", kNccl,
     "ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_bf16(ncclSymkDevWorkArgs4K)",
     read_piece_dtype},
    {"ncclSymkDevKernel_AllGather*", kCollective, "all_gather", kNccl,
     "ncclSymkDevKernel_AllGather_STMC(ncclSymkDevWorkArgs4K)", read_piece_dtype},
    {"ncclSymkDevKernel_ReduceScatter*", kCollective, "reduce_scatter", kNccl,
     "ncclSymkDevKernel_ReduceScatter_LL_sum_f8e4m3(ncclSymkDevWorkArgs4K)", read_piece_dtype},
    {"rccl_main_kernel", kCollective, "collective", kUnknown,
     "rccl_main_kernel(ncclDevComm*, unsigned long, ncclWork*)", read_nothing, "rccl"},
    {"ncclSymDevKernel_AllReduce*", kCollective, "all_reduce", kNccl,
     "ncclSymDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_bf16(ncclSymDevArgs)", read_piece_dtype},
    {"ncclSymDevKernel_AllGather*", kCollective, "all_gather", kNccl,
     "ncclSymDevKernel_AllGather_STMC(ncclSymDevArgs)", read_piece_dtype},
    {"ncclSymDevKernel_ReduceScatter*", kCollective, "reduce_scatter", kNccl,
     "ncclSymDevKernel_ReduceScatter_LDMC_sum_bf16(ncclSymDevArgs)", read_piece_dtype},

    {"cross_device_reduce_1stage", kCollective, "all_reduce", kVllmCustom,
     "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*, int)"},
    {"cross_device_reduce_2stage", kCollective, "all_reduce", kVllmCustom,
     "void vllm::cross_device_reduce_2stage<half, 8>(vllm::RankData*, int)"},
    {"cross_device_reduce_1stage_naive", kCollective, "all_reduce", kVllmCustom,
     "void aiter::cross_device_reduce_1stage_naive<__hip_bfloat16, 8>(aiter::RankData*, int)"},
    {"cross_device_reduce_2stage_naive", kCollective, "all_reduce", kVllmCustom,
     "void aiter::cross_device_reduce_2stage_naive<__hip_bfloat16, 8>(aiter::RankData*, int)"},
    {"allreduce_prototype_twoshot", kCollective, "all_reduce", kQuick,
     "void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<half>>(int)"},
    {"multimem_all_reduce_kernel", kCollective, "all_reduce", kSymmetric,
     "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)"},
    {"multimem_one_shot_all_reduce_kernel", kCollective, "all_reduce", kSymmetric,
     "void multimem_one_shot_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)"},
    {"one_shot_all_reduce_kernel", kCollective, "all_reduce", kSymmetric,
     "void one_shot_all_reduce_kernel<c10::BFloat16, 16, 8>(c10::BFloat16**)"},
    {"two_shot_all_reduce_kernel", kCollective, "all_reduce", kSymmetric,
     "void two_shot_all_reduce_kernel<c10::BFloat16, 16, 8>(c10::BFloat16**)"},
    {"two_shot_all_reduce_kernel_inplace", kCollective, "all_reduce", kSymmetric,
     "void two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, 8>(c10::BFloat16**)"},
    {"multimem_all_gather_kernel", kCollective, "all_gather", kSymmetric,
     "void multimem_all_gather_kernel<16>(char*, char*)"},
    {"allreduce_fusion_kernel_oneshot_lamport", kCollective, "all_reduce", kTrtllmFusion,
     "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<"
     "(flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16, 2>(int)"},
    {"allreduce_fusion_kernel_twoshot_sync", kCollective, "all_reduce", kTrtllmFusion,
     "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_twoshot_sync<"
     "(flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16, 2>(int)"},
    {"oneShotAllReduceKernel", kCollective, "all_reduce", kTrtllmReduce,
     "void tensorrt_llm::kernels::oneShotAllReduceKernel<half, 8, true>(int)"},
    {"twoShotAllReduceKernel", kCollective, "all_reduce", kTrtllmReduce,
     "void tensorrt_llm::kernels::twoShotAllReduceKernel<half, 8, true>(int)"},
    {"oneShotAllreduceFusionKernel", kCollective, "all_reduce", kTrtllmReduce,
     "void flashinfer::trtllm_mnnvl_allreduce::oneShotAllreduceFusionKernel<8, "
     "__nv_bfloat16>(int)"},
    {"moereduce_allreduce_fusion_kernel_oneshot_lamport", kCollective, "moe_all_reduce",
     kTrtllmReduce,
     "void flashinfer::trtllm_moe_allreduce_fusion::"
     "moereduce_allreduce_fusion_kernel_oneshot_lamport<1, __nv_bfloat16, 8>(int)"},

    {"deep_ep dispatch", kCollective, "all_to_all", kDeepEp,
     "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*)"},
    {"deep_ep combine", kCollective, "all_to_all", kDeepEp,
     "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 4096>(__nv_bfloat16*, float*)"},
    {"internode_ll dispatch", kCollective, "all_to_all", kDeepEpLow,
     "void internode_ll::dispatch<true, false, 7168>(void*, void*)"},
    {"internode_ll combine", kCollective, "all_to_all", kDeepEpLow,
     "void internode_ll::combine<false, 7168, 9>(void*, void*)"},
    {"deep_ep notify_dispatch", kCollective, "all_to_all_prepare", kDeepEp,
     "void deep_ep::intranode::notify_dispatch<8>(int const*, int*)"},
    {"deep_ep cached_notify_combine", kCollective, "all_to_all_prepare", kDeepEp,
     "void deep_ep::intranode::cached_notify_combine<8>(void**, int*)"},
    {"deep_ep get_dispatch_layout", kCollective, "all_to_all_prepare", kDeepEp,
     "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*, int*)"},
    {"nvshmemi*", kCollective, "collective", kUnknown, "nvshmemi_proxy_kernel(int)", read_nothing},
    {"barrier_all", kCollective, "barrier", kUnknown, "void pplx::barrier_all<8>(int)",
     read_nothing},
});

}  // namespace

RuleTable collective_rules() {
  return {"", kRules};
}

}  // namespace tactus::names
