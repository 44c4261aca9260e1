#pragma once

#include "record/agent/driver.h"

/// CUdeviceptr
using DevicePointer = std::uint64_t;

namespace tactus::agent {

/// CUlaunchConfig
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Handle stream;
  void* attributes;
  unsigned attribute_count;
};

}  // namespace tactus::agent

// The hooks: functions that stand for those of the driver.
extern "C" {
using tactus::agent::Handle;
using tactus::agent::LaunchConfig;

#define TACTUS_BOTH(name, suffix, ...) \
  int name(__VA_ARGS__);               \
  int name##suffix(__VA_ARGS__);
TACTUS_BOTH(cuLaunchKernel, _ptsz, Handle, unsigned, unsigned, unsigned, unsigned, unsigned,
            unsigned, unsigned, Handle, void**, void**)
TACTUS_BOTH(cuLaunchCooperativeKernel, _ptsz, Handle, unsigned, unsigned, unsigned, unsigned,
            unsigned, unsigned, unsigned, Handle, void**)
TACTUS_BOTH(cuLaunchKernelEx, _ptsz, const LaunchConfig*, Handle, void**, void**)
TACTUS_BOTH(cuLaunchHostFunc, _ptsz, Handle, void (*)(void*), void*)
TACTUS_BOTH(cuGraphLaunch, _ptsz, Handle, Handle)
TACTUS_BOTH(cuMemcpyHtoD_v2, _ptds, DevicePointer, const void*, std::size_t)
TACTUS_BOTH(cuMemcpyDtoH_v2, _ptds, void*, DevicePointer, std::size_t)
TACTUS_BOTH(cuMemcpyDtoD_v2, _ptds, DevicePointer, DevicePointer, std::size_t)
TACTUS_BOTH(cuMemcpy, _ptds, DevicePointer, DevicePointer, std::size_t)
TACTUS_BOTH(cuMemsetD8_v2, _ptds, DevicePointer, unsigned char, std::size_t)
TACTUS_BOTH(cuMemsetD32_v2, _ptds, DevicePointer, unsigned, std::size_t)
TACTUS_BOTH(cuMemcpyHtoDAsync_v2, _ptsz, DevicePointer, const void*, std::size_t, Handle)
TACTUS_BOTH(cuMemcpyDtoHAsync_v2, _ptsz, void*, DevicePointer, std::size_t, Handle)
TACTUS_BOTH(cuMemcpyDtoDAsync_v2, _ptsz, DevicePointer, DevicePointer, std::size_t, Handle)
TACTUS_BOTH(cuMemcpyAsync, _ptsz, DevicePointer, DevicePointer, std::size_t, Handle)
TACTUS_BOTH(cuMemcpyPeerAsync, _ptsz, DevicePointer, Handle, DevicePointer, Handle, std::size_t,
            Handle)
TACTUS_BOTH(cuMemcpy2DAsync_v2, _ptsz, const void*, Handle)
TACTUS_BOTH(cuMemcpy3DAsync_v2, _ptsz, const void*, Handle)
TACTUS_BOTH(cuMemsetD8Async, _ptsz, DevicePointer, unsigned char, std::size_t, Handle)
TACTUS_BOTH(cuMemsetD16Async, _ptsz, DevicePointer, unsigned short, std::size_t, Handle)
TACTUS_BOTH(cuMemsetD32Async, _ptsz, DevicePointer, unsigned, std::size_t, Handle)
TACTUS_BOTH(cuMemAllocAsync, _ptsz, DevicePointer*, std::size_t, Handle)
TACTUS_BOTH(cuMemFreeAsync, _ptsz, DevicePointer, Handle)
TACTUS_BOTH(cuStreamSynchronize, _ptsz, Handle)
TACTUS_BOTH(cuStreamBeginCapture_v2, _ptsz, Handle, int)
TACTUS_BOTH(cuStreamBeginCaptureToGraph, _ptsz, Handle, Handle, Handle*, const void*, std::size_t,
            int)
TACTUS_BOTH(cuStreamEndCapture, _ptsz, Handle, Handle*)
TACTUS_BOTH(cuGraphInstantiateWithParams, _ptsz, Handle*, Handle, void*)
#undef TACTUS_BOTH
int cuEventSynchronize(Handle);
int cuCtxSynchronize();
int cuCtxSynchronize_v2(Handle);
int cuGraphInstantiateWithFlags(Handle*, Handle, unsigned long long);
int cuGraphExecDestroy(Handle);
int cuModuleUnload(Handle);
int cuLibraryUnload(Handle);
int cuCtxDestroy_v2(Handle);
int cuDevicePrimaryCtxReset_v2(int);
int cuDevicePrimaryCtxRelease_v2(int);
int cuMemAlloc_v2(DevicePointer*, std::size_t);
int cuMemFree_v2(DevicePointer);
int cuMemHostAlloc(void**, std::size_t, unsigned);
int cuMemFreeHost(void*);
int cuMemCreate(std::uint64_t*, std::size_t, const void*, unsigned long long);
}

namespace tactus::agent {

/// What the driver has for each hook.
struct Originals {
#define TACTUS_CALL(symbol, call, since) Original<decltype(::symbol)> symbol{#symbol};
#define TACTUS_STREAM_CALL(symbol, call, since, suffix) \
  Original<decltype(::symbol)> symbol{#symbol};         \
  Original<decltype(::symbol##suffix)> symbol##suffix{#symbol #suffix};
#include "record/agent/hooks.inc"
#undef TACTUS_CALL
#undef TACTUS_STREAM_CALL
};

extern Originals originals;

}  // namespace tactus::agent
