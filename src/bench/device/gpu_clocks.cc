#include "bench/device/gpu_clocks.h"

#include <dlfcn.h>

#include <array>
#include <string_view>
#include <utility>

namespace tactus {
namespace {

constexpr int kSmClock = 1;  // NVML_CLOCK_SM

// nvmlClocksEventReason...: 0x1 GpuIdle, 0x2 ApplicationsClocksSetting, 0x10 SyncBoost and 0x100
// DisplayClockSetting are left out.
constexpr std::array<std::pair<std::uint64_t, std::string_view>, 5> kLowering = {{
    {0x04, "power cap"},          // SwPowerCap
    {0x08, "slowed by the GPU"},  // HwSlowdown
    {0x20, "heat"},               // SwThermalSlowdown
    {0x40, "too much heat"},      // HwThermalSlowdown
    {0x80, "power brake"},        // HwPowerBrakeSlowdown
}};

template <class Function>
void get(Function& function, void* library, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

bool clocks_lowered(std::uint64_t reasons) {
  for (const auto& [bit, words] : kLowering) {
    if ((reasons & bit) != 0) return true;
  }
  return false;
}

std::string lowered_words(std::uint64_t reasons) {
  std::string text;
  for (const auto& [bit, words] : kLowering) {
    if ((reasons & bit) == 0) continue;
    if (!text.empty()) text += ", ";
    text += words;
  }
  return text;
}

std::optional<Nvml> load_nvml() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  Nvml nvml;
  get(nvml.nvmlInit_v2, library, "nvmlInit_v2");
  get(nvml.nvmlDeviceGetHandleByPciBusId_v2, library, "nvmlDeviceGetHandleByPciBusId_v2");
  get(nvml.nvmlDeviceGetClockInfo, library, "nvmlDeviceGetClockInfo");
  get(nvml.reasons, library, "nvmlDeviceGetCurrentClocksEventReasons");
  if (nvml.reasons == nullptr) {
    get(nvml.reasons, library, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  if (nvml.nvmlInit_v2 == nullptr || nvml.nvmlDeviceGetHandleByPciBusId_v2 == nullptr ||
      nvml.nvmlDeviceGetClockInfo == nullptr || nvml.reasons == nullptr) {
    return std::nullopt;
  }
  return nvml;
}

std::optional<GpuClocks> GpuClocks::open(const Nvml& nvml, const char* bus_id) {
  Nvml::Device device = nullptr;
  if (nvml.nvmlInit_v2() != 0) return std::nullopt;
  if (nvml.nvmlDeviceGetHandleByPciBusId_v2(bus_id, &device) != 0) return std::nullopt;
  return GpuClocks(nvml, device);
}

ClockReading GpuClocks::read() const {
  ClockReading reading;
  unsigned mhz = 0;
  unsigned long long reasons = 0;
  if (nvml_.nvmlDeviceGetClockInfo(device_, kSmClock, &mhz) == 0) reading.sm_mhz = mhz;
  if (nvml_.reasons(device_, &reasons) == 0) reading.reasons = reasons;
  return reading;
}

}  // namespace tactus
