// How the runtime comes to the driver.
#include <dlfcn.h>

#include "runtime.h"

namespace runtime {
namespace {

using ProcAddress = int (*)(const char*, void**, int, std::uint64_t, int*);

constexpr int kVersion = 13000;
constexpr std::uint64_t kLegacyDefaultStream = 1;

ProcAddress proc_address() {
  static const ProcAddress found = []() -> ProcAddress {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) return nullptr;
    return reinterpret_cast<ProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  }();
  return found;
}

thread_local int last_error = kSuccess;
thread_local int chosen_device = 0;
thread_local int entered_device = -1;

}  // namespace

void* find_call(const char* name) {
  if (proc_address() == nullptr) return nullptr;
  void* found = nullptr;
  int status = 0;
  const int result = proc_address()(name, &found, kVersion, kLegacyDefaultStream, &status);
  return result == kSuccess ? found : nullptr;
}

int remember(int result) {
  if (result != kSuccess) last_error = result;
  return result;
}

int device_of_thread() {
  return chosen_device;
}

int enter() {
  if (entered_device == chosen_device) return kSuccess;
  Handle context = nullptr;
  if (const int result = DRIVER(cuInit, 0u); result != kSuccess) return result;
  if (const int result = DRIVER(cuDevicePrimaryCtxRetain, &context, chosen_device);
      result != kSuccess) {
    return result;
  }
  const int result = DRIVER(cuCtxSetCurrent, context);
  if (result == kSuccess) entered_device = chosen_device;
  return result;
}

}  // namespace runtime

using namespace runtime;

RUNTIME_SHOWN int cudaGetLastError() {
  const int error = last_error;
  last_error = kSuccess;
  return error;
}

RUNTIME_SHOWN int cudaPeekAtLastError() {
  return last_error;
}

RUNTIME_SHOWN const char* cudaGetErrorString(int error) {
  switch (error) {
    case kInvalidConfiguration: return "invalid configuration argument";
    case kInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    case kInvalidDeviceFunction: return "invalid device function";
    default: break;
  }
  const char* text = nullptr;
  DRIVER(cuGetErrorString, error, &text);
  return text != nullptr ? text : "unrecognized error code";
}

RUNTIME_SHOWN int cudaSetDevice(int device) {
  int count = 0;
  if (const int result = DRIVER(cuInit, 0u); result != kSuccess) return remember(result);
  DRIVER(cuDeviceGetCount, &count);
  if (device < 0 || device >= count) return remember(101);  // cudaErrorInvalidDevice
  chosen_device = device;
  return remember(enter());
}

RUNTIME_SHOWN int cudaGetDevice(int* device) {
  *device = chosen_device;
  return kSuccess;
}

RUNTIME_SHOWN int cudaGetDeviceCount(int* count) {
  *count = 0;
  if (const int result = DRIVER(cuInit, 0u); result != kSuccess) return remember(result);
  return remember(DRIVER(cuDeviceGetCount, count));
}
