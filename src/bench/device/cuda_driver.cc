#include "bench/device/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tactus {
namespace {

/// Looks up symbols and remembers the first missing one.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void get(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr && missing_ == nullptr) missing_ = name;
  }
  const char* missing() const { return missing_; }

 private:
  void* library_;
  const char* missing_ = nullptr;
};

}  // namespace

std::string CudaDriver::text(int error) const {
  const char* words = nullptr;
  if (cuGetErrorString(error, &words) != 0 || words == nullptr) {
    return fmt::format("CUDA error {}", error);
  }
  return words;
}

Result<CudaDriver> load_cuda_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return input_error("no NVIDIA driver here (libcuda.so.1 is missing); use --device cpu");
  }
  CudaDriver driver{};
  Symbols symbols(library);
#define TACTUS_GET(name) symbols.get(driver.name, #name)
  TACTUS_GET(cuInit);
  TACTUS_GET(cuDriverGetVersion);
  TACTUS_GET(cuDeviceGet);
  TACTUS_GET(cuDeviceGetName);
  TACTUS_GET(cuDeviceGetPCIBusId);
  TACTUS_GET(cuDeviceGetAttribute);
  TACTUS_GET(cuDevicePrimaryCtxRetain);
  TACTUS_GET(cuCtxSetCurrent);
  TACTUS_GET(cuCtxSynchronize);
  TACTUS_GET(cuCtxGetLimit);
  TACTUS_GET(cuCtxSetLimit);
  TACTUS_GET(cuCtxResetPersistingL2Cache);
  TACTUS_GET(cuMemGetInfo_v2);
  TACTUS_GET(cuMemAlloc_v2);
  TACTUS_GET(cuMemFree_v2);
  TACTUS_GET(cuMemcpyHtoD_v2);
  TACTUS_GET(cuMemcpyDtoH_v2);
  TACTUS_GET(cuMemcpyDtoDAsync_v2);
  TACTUS_GET(cuMemHostRegister_v2);
  TACTUS_GET(cuMemsetD8Async);
  TACTUS_GET(cuStreamCreate);
  TACTUS_GET(cuStreamSynchronize);
  TACTUS_GET(cuStreamBeginCapture_v2);
  TACTUS_GET(cuStreamEndCapture);
  TACTUS_GET(cuGraphGetNodes);
  TACTUS_GET(cuGraphGetEdges);
  TACTUS_GET(cuGraphNodeGetType);
  TACTUS_GET(cuGraphEventRecordNodeGetEvent);
  TACTUS_GET(cuGraphChildGraphNodeGetGraph);
  TACTUS_GET(cuGraphInstantiateWithFlags);
  TACTUS_GET(cuGraphLaunch);
  TACTUS_GET(cuGraphExecDestroy);
  TACTUS_GET(cuGraphDestroy);
  TACTUS_GET(cuEventCreate);
  TACTUS_GET(cuEventRecord);
  TACTUS_GET(cuEventRecordWithFlags);
  TACTUS_GET(cuEventElapsedTime);
  TACTUS_GET(cuModuleLoadData);
  TACTUS_GET(cuModuleGetFunction);
  TACTUS_GET(cuLaunchKernel);
  TACTUS_GET(cuGetErrorString);
#undef TACTUS_GET
  driver.cuGraphGetEdges_v2 =
      reinterpret_cast<decltype(driver.cuGraphGetEdges_v2)>(dlsym(library, "cuGraphGetEdges_v2"));
  driver.cuDeviceGetUuid =
      reinterpret_cast<decltype(driver.cuDeviceGetUuid)>(dlsym(library, "cuDeviceGetUuid"));
  if (symbols.missing() != nullptr) {
    return input_error(
        fmt::format("the NVIDIA driver here is too old: it has no {}", symbols.missing()));
  }
  if (const int error = driver.cuInit(0); error != 0) {
    return input_error(fmt::format("the NVIDIA driver does not start: {}", driver.text(error)));
  }
  return driver;
}

}  // namespace tactus
