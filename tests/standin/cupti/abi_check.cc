// Where the toolkit is: what the agent declares of CUPTI is what CUPTI has.
#if __has_include(<cupti.h>)
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cuda.h>
#include <cupti.h>

#include "record/agent/cupti/cupti_abi.h"

namespace cupti = tactus::cupti;

#define SAME(ours, field, theirs, their_field) \
  static_assert(offsetof(cupti::ours, field) == offsetof(theirs, their_field))

#define SAME_KERNEL(theirs)                                \
  SAME(Kernel, registers, theirs, registersPerThread);     \
  SAME(Kernel, start, theirs, start);                      \
  SAME(Kernel, device, theirs, deviceId);                  \
  SAME(Kernel, stream, theirs, streamId);                  \
  SAME(Kernel, grid, theirs, gridX);                       \
  SAME(Kernel, block, theirs, blockX);                     \
  SAME(Kernel, static_shared, theirs, staticSharedMemory); \
  SAME(Kernel, correlation, theirs, correlationId);        \
  SAME(Kernel, name, theirs, name);                        \
  SAME(Kernel, graph_node, theirs, graphNodeId);           \
  SAME(Kernel, graph, theirs, graphId);                    \
  SAME(Kernel, cluster, theirs, clusterX)
SAME_KERNEL(CUpti_ActivityKernel10);
SAME_KERNEL(CUpti_ActivityKernel9);
SAME_KERNEL(CUpti_ActivityKernel8);
#define SAME_COPY(theirs)                           \
  SAME(Memcpy, copy_kind, theirs, copyKind);        \
  SAME(Memcpy, to_kind, theirs, dstKind);           \
  SAME(Memcpy, bytes, theirs, bytes);               \
  SAME(Memcpy, start, theirs, start);               \
  SAME(Memcpy, stream, theirs, streamId);           \
  SAME(Memcpy, correlation, theirs, correlationId); \
  SAME(Memcpy, graph_node, theirs, graphNodeId);    \
  SAME(Memcpy, graph, theirs, graphId)
SAME_COPY(CUpti_ActivityMemcpy6);
SAME_COPY(CUpti_ActivityMemcpy5);
SAME(Memset, bytes, CUpti_ActivityMemset4, bytes);
SAME(Memset, start, CUpti_ActivityMemset4, start);
SAME(Memset, stream, CUpti_ActivityMemset4, streamId);
SAME(Memset, correlation, CUpti_ActivityMemset4, correlationId);
SAME(Memset, graph_node, CUpti_ActivityMemset4, graphNodeId);
SAME(Memset, graph, CUpti_ActivityMemset4, graphId);
SAME(CallbackData, site, CUpti_CallbackData, callbackSite);
SAME(CallbackData, correlation, CUpti_CallbackData, correlationId);
static_assert(cupti::kDriverCalls == CUPTI_CB_DOMAIN_DRIVER_API);
static_assert(cupti::kEnter == CUPTI_API_ENTER);
static_assert(sizeof(cupti::SubscriberParams) == sizeof(CUpti_SubscriberParams));
static_assert(cupti::kConcurrentKernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
constexpr bool is_launch_call(std::uint32_t number) {
  for (const auto& [first, last] : cupti::kLaunchCalls) {
    if (number >= first && number <= last) return true;
  }
  return false;
}
static_assert(is_launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
static_assert(is_launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz));
static_assert(is_launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx));
static_assert(is_launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel));
static_assert(is_launch_call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch));
static_assert(is_launch_call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2));
static_assert(is_launch_call(CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DPeerAsync_ptsz));
static_assert(is_launch_call(CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async));
static_assert(is_launch_call(CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async_ptsz));
static_assert(!is_launch_call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize));
static_assert(cupti::kMemcpy == CUPTI_ACTIVITY_KIND_MEMCPY);
static_assert(cupti::kMemset == CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(cupti::kSomebodyElse == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
#endif
