#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace tactus::inject {

/// The part of the CUDA driver that loads on a GPU need, loaded at run time. Names and types are
/// those of the driver's interface.
struct GpuDriver {
  using Handle = void*;
  using Pointer = std::uint64_t;

  int (*cuInit)(unsigned);
  int (*cuDeviceGetCount)(int*);
  int (*cuDeviceGet)(int*, int);
  int (*cuDeviceGetAttribute)(int*, int, int);
  int (*cuDevicePrimaryCtxRetain)(Handle*, int);
  int (*cuCtxSetCurrent)(Handle);
  int (*cuMemGetInfo_v2)(std::size_t*, std::size_t*);
  int (*cuMemAlloc_v2)(Pointer*, std::size_t);
  int (*cuMemFree_v2)(Pointer);
  int (*cuMemAllocHost_v2)(void**, std::size_t);
  int (*cuMemcpyHtoDAsync_v2)(Pointer, const void*, std::size_t, Handle);
  int (*cuMemcpyDtoHAsync_v2)(void*, Pointer, std::size_t, Handle);
  int (*cuMemsetD8Async)(Pointer, unsigned char, std::size_t, Handle);
  int (*cuModuleLoadData)(Handle*, const void*);
  int (*cuModuleGetFunction)(Handle*, Handle, const char*);
  int (*cuStreamCreate)(Handle*, unsigned);
  int (*cuStreamSynchronize)(Handle);
  int (*cuLaunchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, Handle, void**, void**);
  // Between two GPUs; null where the driver does not have them.
  int (*cuDeviceCanAccessPeer)(int*, int, int);
  int (*cuMemcpyPeerAsync)(Pointer, Handle, Pointer, Handle, std::size_t, Handle);
};

/// True if a driver is installed; it is not started.
bool has_gpu_driver();
/// Loads and starts it. Only in the injector's own process: a started driver does not survive a
/// fork.
Result<GpuDriver> load_gpu_driver();

/// A GPU whose primary context is current, with a stream that waits for no other.
struct GpuPlace {
  GpuDriver driver{};
  int device = 0;
  GpuDriver::Handle context = nullptr;
  GpuDriver::Handle stream = nullptr;
};
Result<GpuPlace> open_gpu(std::size_t device);

/// An error if a call of the driver failed.
Status gpu_status(const char* what, int result);

}  // namespace tactus::inject
