// Where the toolkit is: the structs of the runtime and the driver are what the stand-ins take them
// for.
#if __has_include(<cuda_runtime_api.h>)
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "device_properties.h"
#include "standin/driver_types.h"

#define SAME(ours, field, number)                                         \
  static_assert(runtime::ours.at == offsetof(cudaDeviceProp, field));     \
  static_assert(runtime::ours.attribute == CU_DEVICE_ATTRIBUTE_##number); \
  static_assert(runtime::ours.is_long == (sizeof(cudaDeviceProp::field) == sizeof(std::size_t)))
#define SAME_AT(ours, field, index, number)                                                 \
  static_assert(runtime::ours.at == offsetof(cudaDeviceProp, field) + sizeof(int) * index); \
  static_assert(runtime::ours.attribute == CU_DEVICE_ATTRIBUTE_##number)

static_assert(runtime::kPropertiesBytes == sizeof(cudaDeviceProp));
static_assert(runtime::kNameAt == offsetof(cudaDeviceProp, name));
static_assert(runtime::kNameBytes == sizeof(cudaDeviceProp::name));
static_assert(runtime::kUuidAt == offsetof(cudaDeviceProp, uuid));
static_assert(runtime::kTotalMemoryAt == offsetof(cudaDeviceProp, totalGlobalMem));
SAME(kSharedPerBlock, sharedMemPerBlock, MAX_SHARED_MEMORY_PER_BLOCK);
SAME(kRegistersPerBlock, regsPerBlock, MAX_REGISTERS_PER_BLOCK);
SAME(kWarpSize, warpSize, WARP_SIZE);
SAME(kThreadsPerBlock, maxThreadsPerBlock, MAX_THREADS_PER_BLOCK);
SAME_AT(kBlockX, maxThreadsDim, 0, MAX_BLOCK_DIM_X);
SAME_AT(kBlockY, maxThreadsDim, 1, MAX_BLOCK_DIM_Y);
SAME_AT(kBlockZ, maxThreadsDim, 2, MAX_BLOCK_DIM_Z);
SAME_AT(kGridX, maxGridSize, 0, MAX_GRID_DIM_X);
SAME_AT(kGridY, maxGridSize, 1, MAX_GRID_DIM_Y);
SAME_AT(kGridZ, maxGridSize, 2, MAX_GRID_DIM_Z);
SAME(kMajor, major, COMPUTE_CAPABILITY_MAJOR);
SAME(kMinor, minor, COMPUTE_CAPABILITY_MINOR);
SAME(kMultiprocessors, multiProcessorCount, MULTIPROCESSOR_COUNT);
SAME(kIntegrated, integrated, INTEGRATED);
SAME(kMapsHostMemory, canMapHostMemory, CAN_MAP_HOST_MEMORY);
SAME(kBus, pciBusID, PCI_BUS_ID);
SAME(kUnifiedAddressing, unifiedAddressing, UNIFIED_ADDRESSING);
SAME(kMemoryBusBits, memoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH);
SAME(kLevel2Cache, l2CacheSize, L2_CACHE_SIZE);
SAME(kThreadsPerMultiprocessor, maxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR);
SAME(kSharedPerMultiprocessor, sharedMemPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME(kRegistersPerMultiprocessor, regsPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR);
SAME(kCooperativeLaunch, cooperativeLaunch, COOPERATIVE_LAUNCH);
SAME(kSharedPerBlockOptIn, sharedMemPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);

static_assert(sizeof(standin::Copy2d) == sizeof(CUDA_MEMCPY2D));
static_assert(offsetof(standin::Copy2d, to) == offsetof(CUDA_MEMCPY2D, dstXInBytes));
static_assert(offsetof(standin::Copy2d::Side, device) == offsetof(CUDA_MEMCPY2D, srcDevice));
static_assert(offsetof(standin::Copy2d::Side, pitch) == offsetof(CUDA_MEMCPY2D, srcPitch));
static_assert(offsetof(standin::Copy2d, row_bytes) == offsetof(CUDA_MEMCPY2D, WidthInBytes));
static_assert(offsetof(standin::AllocationProps, location_id) ==
              offsetof(CUmemAllocationProp, location) + offsetof(CUmemLocation, id));
static_assert(sizeof(standin::UpdateResult) == sizeof(CUgraphExecUpdateResultInfo));
#endif
