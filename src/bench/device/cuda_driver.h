#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace tactus {

/// The part of the CUDA driver that is needed to time kernels, loaded at run time so that the tool
/// works without a driver. Names and types are those of the driver's interface.
struct CudaDriver {
  using Handle = void*;  // CUcontext, CUstream, CUevent, CUgraph, CUgraphExec, CUmodule
  using DevicePointer = std::uint64_t;

  int (*cuInit)(unsigned flags);
  int (*cuDriverGetVersion)(int* version);
  int (*cuDeviceGet)(int* device, int ordinal);
  int (*cuDeviceGetName)(char* name, int length, int device);
  /// cuDeviceGetUuid, or null: 16 bytes that only this card has.
  int (*cuDeviceGetUuid)(char* uuid, int device);
  int (*cuDeviceGetPCIBusId)(char* bus_id, int length, int device);
  int (*cuDeviceGetAttribute)(int* value, int attribute, int device);
  int (*cuDevicePrimaryCtxRetain)(Handle* context, int device);
  int (*cuCtxSetCurrent)(Handle context);
  int (*cuCtxSynchronize)();
  int (*cuCtxGetLimit)(std::size_t* value, int limit);
  int (*cuCtxSetLimit)(int limit, std::size_t value);
  int (*cuCtxResetPersistingL2Cache)();
  int (*cuMemGetInfo_v2)(std::size_t* free, std::size_t* total);
  int (*cuMemAlloc_v2)(DevicePointer* memory, std::size_t bytes);
  int (*cuMemFree_v2)(DevicePointer memory);
  int (*cuMemcpyHtoD_v2)(DevicePointer to, const void* from, std::size_t bytes);
  int (*cuMemcpyDtoH_v2)(void* to, DevicePointer from, std::size_t bytes);
  int (*cuMemcpyDtoDAsync_v2)(DevicePointer to, DevicePointer from, std::size_t bytes,
                              Handle stream);
  int (*cuMemHostRegister_v2)(void* memory, std::size_t bytes, unsigned flags);
  int (*cuMemsetD8Async)(DevicePointer memory, unsigned char value, std::size_t bytes,
                         Handle stream);
  int (*cuStreamCreate)(Handle* stream, unsigned flags);
  int (*cuStreamSynchronize)(Handle stream);
  int (*cuStreamBeginCapture_v2)(Handle stream, int mode);
  int (*cuStreamEndCapture)(Handle stream, Handle* graph);
  int (*cuGraphGetNodes)(Handle graph, Handle* nodes, std::size_t* count);
  /// cuGraphGetEdges_v2, or null if the driver is older than edges with data.
  int (*cuGraphGetEdges_v2)(Handle graph, Handle* from, Handle* to, void* data, std::size_t* count);
  int (*cuGraphGetEdges)(Handle graph, Handle* from, Handle* to, std::size_t* count);
  int (*cuGraphNodeGetType)(Handle node, int* type);
  int (*cuGraphEventRecordNodeGetEvent)(Handle node, Handle* event);
  int (*cuGraphChildGraphNodeGetGraph)(Handle node, Handle* graph);
  int (*cuGraphInstantiateWithFlags)(Handle* executable, Handle graph, unsigned long long flags);
  int (*cuGraphLaunch)(Handle executable, Handle stream);
  int (*cuGraphExecDestroy)(Handle executable);
  int (*cuGraphDestroy)(Handle graph);
  int (*cuEventCreate)(Handle* event, unsigned flags);
  int (*cuEventRecord)(Handle event, Handle stream);
  int (*cuEventRecordWithFlags)(Handle event, Handle stream, unsigned flags);
  int (*cuEventElapsedTime)(float* milliseconds, Handle begin, Handle end);
  int (*cuModuleLoadData)(Handle* module, const void* image);
  int (*cuModuleGetFunction)(Handle* function, Handle module, const char* name);
  int (*cuLaunchKernel)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        Handle stream, void** parameters, void** extra);
  int (*cuGetErrorString)(int error, const char** text);

  /// "an illegal memory access was encountered"
  std::string text(int error) const;
};

/// Loads the driver and starts it; an error says what is missing.
Result<CudaDriver> load_cuda_driver();

}  // namespace tactus
