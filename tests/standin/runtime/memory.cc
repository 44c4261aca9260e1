#include "runtime.h"

using namespace runtime;

namespace {

struct Rows {  ///< a side of CUDA_MEMCPY2D
  std::size_t x, y;
  int memory_type;
  const void* host;
  Address device;
  void* array;
  std::size_t pitch;
};

struct CopyOfRows {  ///< CUDA_MEMCPY2D
  Rows from, to;
  std::size_t row_bytes, rows;
};

constexpr int kUnified = 4;  // CU_MEMORYTYPE_UNIFIED: the address says what it is

Address address_of(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

// cudaMemcpyKind
constexpr int kToDevice = 1;
constexpr int kToHost = 2;

}  // namespace

RUNTIME_SHOWN int cudaMalloc(void** memory, std::size_t bytes) {
  Address address = 0;
  const int result = IN_CONTEXT(cuMemAlloc, &address, bytes);
  *memory = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  return result;
}

RUNTIME_SHOWN int cudaMallocManaged(void** memory, std::size_t bytes, unsigned flags) {
  Address address = 0;
  const int result = IN_CONTEXT(cuMemAllocManaged, &address, bytes, flags);
  *memory = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  return result;
}

RUNTIME_SHOWN int cudaFree(void* memory) {
  return IN_CONTEXT(cuMemFree, address_of(memory));
}

RUNTIME_SHOWN int cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return IN_CONTEXT(cuMemHostAlloc, memory, bytes, flags);
}

RUNTIME_SHOWN int cudaMallocHost(void** memory, std::size_t bytes) {
  return cudaHostAlloc(memory, bytes, 0);
}

RUNTIME_SHOWN int cudaFreeHost(void* memory) {
  return IN_CONTEXT(cuMemFreeHost, memory);
}

RUNTIME_SHOWN int cudaHostRegister(void* memory, std::size_t bytes, unsigned flags) {
  return IN_CONTEXT(cuMemHostRegister, memory, bytes, flags);
}

RUNTIME_SHOWN int cudaHostUnregister(void* memory) {
  return IN_CONTEXT(cuMemHostUnregister, memory);
}

RUNTIME_SHOWN int cudaHostGetDevicePointer(void** device, void* memory, unsigned flags) {
  Address address = 0;
  const int result = IN_CONTEXT(cuMemHostGetDevicePointer, &address, memory, flags);
  *device = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  return result;
}

RUNTIME_SHOWN int cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return IN_CONTEXT(cuMemGetInfo, free, total);
}

RUNTIME_SHOWN int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind,
                                  Handle stream) {
  if (kind == kToDevice) {
    return IN_CONTEXT(cuMemcpyHtoDAsync, address_of(to), from, bytes, stream);
  }
  if (kind == kToHost) {
    return IN_CONTEXT(cuMemcpyDtoHAsync, to, address_of(from), bytes, stream);
  }
  return IN_CONTEXT(cuMemcpyAsync, address_of(to), address_of(from), bytes, stream);
}

RUNTIME_SHOWN int cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                      std::size_t bytes, Handle stream) {
  Handle to_context = nullptr;
  Handle from_context = nullptr;
  if (const int result = remember(DRIVER(cuDevicePrimaryCtxRetain, &to_context, to_device));
      result != kSuccess) {
    return result;
  }
  if (const int result = remember(DRIVER(cuDevicePrimaryCtxRetain, &from_context, from_device));
      result != kSuccess) {
    return result;
  }
  return IN_CONTEXT(cuMemcpyPeerAsync, address_of(to), to_context, address_of(from), from_context,
                    bytes, stream);
}

RUNTIME_SHOWN int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                    std::size_t from_pitch, std::size_t row_bytes, std::size_t rows,
                                    int, Handle stream) {
  const CopyOfRows copy{{0, 0, kUnified, nullptr, address_of(from), nullptr, from_pitch},
                        {0, 0, kUnified, nullptr, address_of(to), nullptr, to_pitch},
                        row_bytes,
                        rows};
  return IN_CONTEXT(cuMemcpy2DAsync, &copy, stream);
}

RUNTIME_SHOWN int cudaMemsetAsync(void* to, int value, std::size_t bytes, Handle stream) {
  return IN_CONTEXT(cuMemsetD8Async, address_of(to), static_cast<unsigned char>(value), bytes,
                    stream);
}

RUNTIME_SHOWN int cudaMemset(void* to, int value, std::size_t bytes) {
  return IN_CONTEXT(cuMemsetD8, address_of(to), static_cast<unsigned char>(value), bytes);
}
