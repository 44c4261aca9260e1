// The part of the CUDA driver that the test programs use, found as the CUDA runtime finds it.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace cuda {

using Handle = void*;
using Pointer = std::uint64_t;

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Handle stream;
  void* attributes;
  unsigned attribute_count;
};

#define TEST_CUDA_CALLS(X)                                                                         \
  X(cuInit, unsigned)                                                                              \
  X(cuDeviceGet, int*, int)                                                                        \
  X(cuDeviceGetCount, int*)                                                                        \
  X(cuDeviceGetName, char*, int, int)                                                              \
  X(cuDevicePrimaryCtxRetain, Handle*, int)                                                        \
  X(cuCtxSetCurrent, Handle)                                                                       \
  X(cuCtxSynchronize)                                                                              \
  X(cuModuleLoadData, Handle*, const void*)                                                        \
  X(cuModuleGetFunction, Handle*, Handle, const char*)                                             \
  X(cuModuleUnload, Handle)                                                                        \
  X(cuStreamCreate, Handle*, unsigned)                                                             \
  X(cuStreamDestroy, Handle)                                                                       \
  X(cuStreamSynchronize, Handle)                                                                   \
  X(cuStreamQuery, Handle)                                                                         \
  X(cuStreamWaitEvent, Handle, Handle, unsigned)                                                   \
  X(cuStreamBeginCapture, Handle, int)                                                             \
  X(cuStreamEndCapture, Handle, Handle*)                                                           \
  X(cuStreamIsCapturing, Handle, int*)                                                             \
  X(cuGraphInstantiateWithFlags, Handle*, Handle, unsigned long long)                              \
  X(cuGraphLaunch, Handle, Handle)                                                                 \
  X(cuGraphGetNodes, Handle, Handle*, std::size_t*)                                                \
  X(cuGraphGetEdges, Handle, Handle*, Handle*, void*, std::size_t*)                                \
  X(cuGraphNodeGetType, Handle, int*)                                                              \
  X(cuGraphExecDestroy, Handle)                                                                    \
  X(cuGraphDestroy, Handle)                                                                        \
  X(cuEventCreate, Handle*, unsigned)                                                              \
  X(cuEventDestroy, Handle)                                                                        \
  X(cuEventRecord, Handle, Handle)                                                                 \
  X(cuEventQuery, Handle)                                                                          \
  X(cuEventSynchronize, Handle)                                                                    \
  X(cuEventElapsedTime, float*, Handle, Handle)                                                    \
  X(cuMemAlloc, Pointer*, std::size_t)                                                             \
  X(cuMemFree, Pointer)                                                                            \
  X(cuMemcpyHtoD, Pointer, const void*, std::size_t)                                               \
  X(cuMemcpyDtoH, void*, Pointer, std::size_t)                                                     \
  X(cuMemcpyHtoDAsync, Pointer, const void*, std::size_t, Handle)                                  \
  X(cuMemcpyDtoHAsync, void*, Pointer, std::size_t, Handle)                                        \
  X(cuMemcpyDtoDAsync, Pointer, Pointer, std::size_t, Handle)                                      \
  X(cuMemsetD8Async, Pointer, unsigned char, std::size_t, Handle)                                  \
  X(cuLaunchKernel, Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,  \
    Handle, void**, void**)                                                                        \
  X(cuLaunchKernelEx, const LaunchConfig*, Handle, void**, void**)                                 \
  X(cuLaunchCooperativeKernel, Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, Handle, void**)                                                                      \
  X(cuLaunchHostFunc, Handle, void (*)(void*), void*)

/// How a program finds the calls.
enum class Lookup : unsigned char { kProcAddress, kPerThread, kDlsym };

struct Driver {
#define TEST_CUDA_MEMBER(name, ...) int (*name)(__VA_ARGS__);
  TEST_CUDA_CALLS(TEST_CUDA_MEMBER)
#undef TEST_CUDA_MEMBER
};

[[noreturn]] inline void fail(const char* what, int result) {
  std::fprintf(stderr, "%s failed: %d\n", what, result);
  std::_Exit(99);
}

inline void check(int result, const char* what) {
  if (result != 0) fail(what, result);
}

#define CU(call) cuda::check((call), #call)

inline Driver load(Lookup lookup) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) fail(dlerror(), -1);
  using ProcAddress = int (*)(const char*, void**, int, std::uint64_t, int*);
  const auto find = reinterpret_cast<ProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  if (find == nullptr) fail("cuGetProcAddress_v2", -1);
  Driver driver{};
  const auto get = [&](const char* name) {
    void* found = nullptr;
    if (lookup == Lookup::kDlsym) {
      // Programs that call the driver directly are linked against the newest form of a call.
      for (const char* version : {"_v2", ""}) {
        char symbol[128];
        std::snprintf(symbol, sizeof symbol, "%s%s", name, version);
        found = dlsym(library, symbol);
        if (found != nullptr) return found;
      }
      fail(name, -1);
    }
    int status = 0;
    check(find(name, &found, 13000, lookup == Lookup::kPerThread ? 2 : 1, &status), name);
    return found;
  };
#define TEST_CUDA_LOAD(name, ...) driver.name = reinterpret_cast<decltype(driver.name)>(get(#name));
  TEST_CUDA_CALLS(TEST_CUDA_LOAD)
#undef TEST_CUDA_LOAD
  return driver;
}

/// Makes the context of a device current in this thread.
inline void use_device(const Driver& driver, int device) {
  CU(driver.cuInit(0));
  Handle context = nullptr;
  CU(driver.cuDevicePrimaryCtxRetain(&context, device));
  CU(driver.cuCtxSetCurrent(context));
}

inline Handle kernel(const Driver& driver, const char* name, const char* image = "scripted") {
  Handle module = nullptr;
  Handle function = nullptr;
  CU(driver.cuModuleLoadData(&module, image));
  CU(driver.cuModuleGetFunction(&function, module, name));
  return function;
}

inline int launch(const Driver& driver, Handle function, Handle stream, unsigned grid = 1,
                  void** params = nullptr) {
  return driver.cuLaunchKernel(function, grid, 1, 1, 128, 1, 1, 0, stream, params, nullptr);
}

}  // namespace cuda
