#include "inject/gpu/gpu_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tactus::inject {
namespace {

constexpr unsigned kNonBlocking = 1;

void* open_library() {
  return ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

bool has_gpu_driver() {
  void* library = open_library();
  if (library != nullptr) ::dlclose(library);
  return library != nullptr;
}

Status gpu_status(const char* what, int result) {
  if (result == 0) return {};
  return broke_error(fmt::format("{} failed: CUDA error {}", what, result));
}

Result<GpuDriver> load_gpu_driver() {
  void* library = open_library();
  if (library == nullptr) return input_error("no NVIDIA driver here (libcuda.so.1 is missing)");
  GpuDriver driver{};
  const char* missing = nullptr;
  const auto get = [&](auto& call, const char* name, bool is_needed = true) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(::dlsym(library, name));
    if (call == nullptr && is_needed && missing == nullptr) missing = name;
  };
  get(driver.cuInit, "cuInit");
  get(driver.cuDeviceGetCount, "cuDeviceGetCount");
  get(driver.cuDeviceGet, "cuDeviceGet");
  get(driver.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  get(driver.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  get(driver.cuCtxSetCurrent, "cuCtxSetCurrent");
  get(driver.cuMemGetInfo_v2, "cuMemGetInfo_v2");
  get(driver.cuMemAlloc_v2, "cuMemAlloc_v2");
  get(driver.cuMemFree_v2, "cuMemFree_v2");
  get(driver.cuMemAllocHost_v2, "cuMemAllocHost_v2");
  get(driver.cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync_v2");
  get(driver.cuMemcpyDtoHAsync_v2, "cuMemcpyDtoHAsync_v2");
  get(driver.cuMemsetD8Async, "cuMemsetD8Async");
  get(driver.cuModuleLoadData, "cuModuleLoadData");
  get(driver.cuModuleGetFunction, "cuModuleGetFunction");
  get(driver.cuStreamCreate, "cuStreamCreate");
  get(driver.cuStreamSynchronize, "cuStreamSynchronize");
  get(driver.cuLaunchKernel, "cuLaunchKernel");
  get(driver.cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", false);
  get(driver.cuMemcpyPeerAsync, "cuMemcpyPeerAsync", false);
  if (missing != nullptr) {
    return input_error(fmt::format("the NVIDIA driver here has no {}", missing));
  }
  if (const int result = driver.cuInit(0); result != 0) {
    return input_error(fmt::format("the NVIDIA driver does not start: CUDA error {}", result));
  }
  return driver;
}

Result<GpuPlace> open_gpu(std::size_t device) {
  Result<GpuDriver> driver = load_gpu_driver();
  if (!driver) return driver.error();
  GpuPlace place;
  place.driver = *driver;
  int count = 0;
  if (Status status = gpu_status("cuDeviceGetCount", driver->cuDeviceGetCount(&count)); !status) {
    return status.error();
  }
  if (device >= static_cast<std::size_t>(count)) {
    return input_error(fmt::format("there is no GPU {}; there are {}", device, count));
  }
  const int error = driver->cuDeviceGet(&place.device, static_cast<int>(device)) != 0
                        ? 1
                        : driver->cuDevicePrimaryCtxRetain(&place.context, place.device);
  if (error != 0 || driver->cuCtxSetCurrent(place.context) != 0 ||
      driver->cuStreamCreate(&place.stream, kNonBlocking) != 0) {
    return input_error(fmt::format("GPU {} cannot be used: CUDA error {}", device, error));
  }
  return place;
}

}  // namespace tactus::inject
