#include <cstring>

#include "device_properties.h"
#include "runtime.h"

using namespace runtime;

namespace {

constexpr Property kProperties[] = {
    kSharedPerBlock,
    kRegistersPerBlock,
    kWarpSize,
    kThreadsPerBlock,
    kBlockX,
    kBlockY,
    kBlockZ,
    kGridX,
    kGridY,
    kGridZ,
    kMajor,
    kMinor,
    kMultiprocessors,
    kIntegrated,
    kMapsHostMemory,
    kBus,
    kUnifiedAddressing,
    kMemoryBusBits,
    kLevel2Cache,
    kThreadsPerMultiprocessor,
    kSharedPerMultiprocessor,
    kRegistersPerMultiprocessor,
    kCooperativeLaunch,
    kSharedPerBlockOptIn,
};

template <class T>
void put(unsigned char* properties, std::size_t at, T value) {
  std::memcpy(properties + at, &value, sizeof value);
}

}  // namespace

RUNTIME_SHOWN int cudaGetDeviceProperties(unsigned char* properties, int device) {
  std::memset(properties, 0, kPropertiesBytes);
  if (const int result = DRIVER(cuInit, 0u); result != kSuccess) return remember(result);
  std::size_t memory = 0;
  if (const int result = DRIVER(cuDeviceTotalMem, &memory, device); result != kSuccess) {
    return remember(result);
  }
  DRIVER(cuDeviceGetName, reinterpret_cast<char*>(properties + kNameAt),
         static_cast<int>(kNameBytes), device);
  DRIVER(cuDeviceGetUuid, properties + kUuidAt, device);
  put(properties, kTotalMemoryAt, memory);
  for (const Property& property : kProperties) {
    int value = 0;
    DRIVER(cuDeviceGetAttribute, &value, property.attribute, device);
    if (property.is_long) {
      put(properties, property.at, static_cast<std::size_t>(value));
    } else {
      put(properties, property.at, value);
    }
  }
  return kSuccess;
}

RUNTIME_SHOWN int cudaDeviceGetAttribute(int* value, int attribute, int device) {
  if (const int result = DRIVER(cuInit, 0u); result != kSuccess) return remember(result);
  return remember(DRIVER(cuDeviceGetAttribute, value, attribute, device));
}

RUNTIME_SHOWN int cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (const int result = DRIVER(cuInit, 0u); result != kSuccess) return remember(result);
  return remember(DRIVER(cuDeviceGetPCIBusId, id, length, device));
}

RUNTIME_SHOWN int cudaDeviceSynchronize() {
  return IN_CONTEXT(cuCtxSynchronize);
}

RUNTIME_SHOWN int cudaSetDeviceFlags(unsigned flags) {
  if (const int result = DRIVER(cuInit, 0u); result != kSuccess) return remember(result);
  return remember(DRIVER(cuDevicePrimaryCtxSetFlags, device_of_thread(), flags));
}

RUNTIME_SHOWN int cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return IN_CONTEXT(cuDeviceCanAccessPeer, can, device, peer);
}

RUNTIME_SHOWN int cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  Handle context = nullptr;
  if (const int result = remember(DRIVER(cuDevicePrimaryCtxRetain, &context, peer));
      result != kSuccess) {
    return result;
  }
  return IN_CONTEXT(cuCtxEnablePeerAccess, context, flags);
}
