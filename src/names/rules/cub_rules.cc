#include "names/readers/pytorch_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kCubFile{"pytorch/aten/src/ATen/cuda/cub.cuh", "inclusive_scan"};
constexpr Launcher kCubAny{"pytorch/aten/src/ATen/cuda/cub.cuh", "", false};

constexpr auto kCubRules = std::to_array<Rule>({
    {"DeviceScanInitKernel", kScan, "scan_init", kCubFile,
     "void at_cuda_detail::cub::DeviceScanInitKernel<at_cuda_detail::cub::ScanTileState<int, "
     "true>>(int)",
     read_scan},
    {"DeviceScanKernel NullType", kScan, "inclusive_scan", kCubFile,
     "void at_cuda_detail::cub::DeviceScanKernel<at_cuda_detail::cub::policy_hub<int>::Policy1000, "
     "int const*, int*, at_cuda_detail::cub::ScanTileState<int, true>, std::plus<int>, "
     "at_cuda_detail::cub::NullType, unsigned int, int, false>(int)",
     read_scan},
    {"DeviceScanKernel", kScan, "exclusive_scan", kCubAny,
     "void cub::DeviceScanKernel<cub::DeviceScanPolicy<int>::Policy900, int*, int*, "
     "cub::ScanTileState<int, true>, cub::Sum, cub::detail::InputValue<int>, int>(int)",
     read_scan},
    {"DeviceScanByKeyKernel", kScan, "scan_by_key", kCubAny,
     "void cub::DeviceScanByKeyKernel<cub::Policy900, int*, int*>(int)"},
    {"DeviceReduceKernel", kReduce, "reduce", kCubAny,
     "void cub::DeviceReduceKernel<cub::Policy600, int*, int, cub::Sum, long>(int)"},
    {"DeviceReduceSingleTileKernel", kReduce, "reduce", kCubAny,
     "void cub::DeviceReduceSingleTileKernel<cub::Policy600, int*, int*, int>(int)"},
    {"DeviceSegmentedReduceKernel", kReduce, "reduce", kCubAny,
     "void cub::DeviceSegmentedReduceKernel<cub::Policy600, float*, float*>(int)"},
    {"DeviceRadixSortHistogramKernel", kSampling, "sort", kCubAny,
     "void cub::DeviceRadixSortHistogramKernel<cub::Policy900, false, long, unsigned int>(int)"},
    {"DeviceRadixSortOnesweepKernel", kSampling, "sort", kCubAny,
     "void cub::DeviceRadixSortOnesweepKernel<cub::Policy900, false, long, int>(int)"},
    {"DeviceRadixSortExclusiveSumKernel", kSampling, "sort", kCubAny,
     "void cub::DeviceRadixSortExclusiveSumKernel<cub::Policy900, unsigned int>(int)"},
    {"DeviceRadixSortSingleTileKernel", kSampling, "sort", kCubAny,
     "void cub::DeviceRadixSortSingleTileKernel<cub::Policy900, false, long, int>(int)"},
    {"DeviceRadixSortUpsweepKernel", kSampling, "sort", kCubAny,
     "void cub::DeviceRadixSortUpsweepKernel<cub::Policy700, false, long>(int)"},
    {"DeviceRadixSortDownsweepKernel", kSampling, "sort", kCubAny,
     "void cub::DeviceRadixSortDownsweepKernel<cub::Policy700, false, long>(int)"},
    {"DeviceSegmentedRadixSortKernel", kSampling, "sort", kCubAny,
     "void cub::DeviceSegmentedRadixSortKernel<cub::Policy700, false, float>(int)"},
    {"RadixSortScanBinsKernel", kSampling, "sort", kCubAny,
     "void cub::RadixSortScanBinsKernel<cub::Policy700, int>(int*, int)"},
    {"DeviceMergeSortBlockSortKernel", kSampling, "sort", kCubAny,
     "void cub::DeviceMergeSortBlockSortKernel<cub::Policy600, long*>(int)"},
    {"DeviceMergeSortMergeKernel", kSampling, "sort", kCubAny,
     "void cub::DeviceMergeSortMergeKernel<cub::Policy600, long*>(int)"},
    {"DeviceMergeSortPartitionKernel", kSampling, "sort", kCubAny,
     "void cub::DeviceMergeSortPartitionKernel<long*, long>(int)"},
    {"DeviceSelectSweepKernel", kGather, "select", kCubAny,
     "void cub::DeviceSelectSweepKernel<cub::Policy900, int*, bool*, long*>(int)"},
    {"DeviceCompactInitKernel", kScan, "scan_init", kCubAny,
     "void cub::DeviceCompactInitKernel<cub::ScanTileState<int, true>, int*>(int)"},
    {"DeviceRunLengthEncodeSweepKernel", kScan, "run_length_encode", kCubAny,
     "void cub::DeviceRunLengthEncodeSweepKernel<cub::Policy900, int*>(int)"},
    {"DeviceReduceByKeyKernel", kReduce, "reduce_by_key", kCubAny,
     "void cub::DeviceReduceByKeyKernel<cub::Policy900, int*>(int)"},
    {"DeviceHistogramSweepKernel", kReduce, "histogram", kCubAny,
     "void cub::DeviceHistogramSweepKernel<cub::Policy900, 256, 1, 1, int*>(int)"},
    {"_kernel_agent", kElementwise, "thrust", kUnknown,
     "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for<int>>(int)"},
    {"for_each static_kernel", kElementwise, "for_each", kUnknown,
     "void cub::detail::for_each::static_kernel<cub::detail::for_each::policy_hub_t, long>(int)"},
    {"parallel_for static_kernel", kElementwise, "for_each", kUnknown,
     "void cub::detail::parallel_for::static_kernel<cub::detail::policy_hub_t, long>(int)"},
    {"thrust", kElementwise, "thrust", kUnknown, "void thrust::mine<int>(int)"},
});

}  // namespace

RuleTable cub_rules() {
  return {"cub", kCubRules};
}

}  // namespace tactus::names
