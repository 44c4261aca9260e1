#include "bench/device/hip_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tactus {

Result<int> count_amd_gpus() {
  void* runtime = nullptr;
  for (const char* name :
       {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}) {
    runtime = dlopen(name, RTLD_NOW | RTLD_LOCAL);  // stays: unloading it is not safe
    if (runtime != nullptr) break;
  }
  if (runtime == nullptr) return input_error("there is no HIP runtime here (libamdhip64.so)");
  using Count = int (*)(int*);
  const auto count_devices = reinterpret_cast<Count>(dlsym(runtime, "hipGetDeviceCount"));
  if (count_devices == nullptr) return input_error("libamdhip64.so has no hipGetDeviceCount");
  int count = 0;
  const int code = count_devices(&count);
  constexpr int kNoDevice = 100;  // hipErrorNoDevice
  if (code == kNoDevice || (code == 0 && count == 0)) {
    return input_error("there is no AMD GPU here");
  }
  if (code != 0) return input_error(fmt::format("the HIP runtime says error {}", code));
  return count;
}

}  // namespace tactus
