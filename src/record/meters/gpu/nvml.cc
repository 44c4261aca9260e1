#include "record/meters/gpu/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>

namespace tactus::meters {
namespace {

template <class Function>
bool find_function(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<std::shared_ptr<Nvml>> Nvml::open(const std::string& library) {
  void* const loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    const char* const why = ::dlerror();
    return input_error(why != nullptr ? why : library + " cannot be loaded");
  }
  std::shared_ptr<Nvml> nvml(new Nvml(loaded));
  nvml->find_functions();
  if (nvml->init_ == nullptr || nvml->device_count == nullptr || nvml->device == nullptr) {
    return input_error(library + " is too old: it has no nvmlInit_v2 or no list of devices");
  }
  if (const int status = nvml->init_(); status != kNvmlSuccess) {
    return input_error(fmt::format("{} does not start: {}", library, nvml->words(status)));
  }
  nvml->started_ = true;
  return nvml;
}

void Nvml::find_functions() {
  find_function(library_, init_, "nvmlInit_v2");
  find_function(library_, shutdown_, "nvmlShutdown");
  find_function(library_, error_string_, "nvmlErrorString");
  find_function(library_, device_count, "nvmlDeviceGetCount_v2");
  find_function(library_, device, "nvmlDeviceGetHandleByIndex_v2");
  find_function(library_, name, "nvmlDeviceGetName");
  find_function(library_, uuid, "nvmlDeviceGetUUID");
  find_function(library_, pci_info, "nvmlDeviceGetPciInfo_v3");
  find_function(library_, utilization, "nvmlDeviceGetUtilizationRates");
  find_function(library_, clock, "nvmlDeviceGetClockInfo");
  if (!find_function(library_, clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons")) {
    find_function(library_, clock_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  find_function(library_, memory, "nvmlDeviceGetMemoryInfo");
  find_function(library_, memory_v2, "nvmlDeviceGetMemoryInfo_v2");
  find_function(library_, processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  find_function(library_, process_use, "nvmlDeviceGetProcessUtilization");
  find_function(library_, power, "nvmlDeviceGetPowerUsage");
  find_function(library_, temperature, "nvmlDeviceGetTemperature");
  find_function(library_, fields, "nvmlDeviceGetFieldValues");
  find_function(library_, pcie_throughput, "nvmlDeviceGetPcieThroughput");
  find_function(library_, gpm_support, "nvmlGpmQueryDeviceSupport");
  find_function(library_, gpm_alloc, "nvmlGpmSampleAlloc");
  find_function(library_, gpm_free, "nvmlGpmSampleFree");
  find_function(library_, gpm_sample, "nvmlGpmSampleGet");
  find_function(library_, gpm_metrics, "nvmlGpmMetricsGet");
}

Nvml::~Nvml() {
  if (started_ && shutdown_ != nullptr) shutdown_();
  ::dlclose(library_);
}

std::string Nvml::words(int status) const {
  const char* const text = error_string_ != nullptr ? error_string_(status) : nullptr;
  return text != nullptr ? fmt::format("{} ({})", text, status) : fmt::format("error {}", status);
}

std::optional<double> field_number(const NvmlField& field) {
  if (field.status != kNvmlSuccess) return std::nullopt;
  switch (field.type) {
    case 0:
      return std::isfinite(field.value.as_double) ? std::optional(field.value.as_double)
                                                  : std::nullopt;
    case 1: return field.value.as_unsigned;
    case 2: return static_cast<double>(field.value.as_unsigned_long);
    case 3: return static_cast<double>(field.value.as_unsigned_long_long);
    case 4: return static_cast<double>(field.value.as_long_long);
    case 5: return field.value.as_int;
    case 6: return field.value.as_unsigned_short;
    default: return std::nullopt;  // a type of a later driver
  }
}

std::optional<std::uint64_t> field_total(const NvmlField& field) {
  if (field.status == kNvmlSuccess && field.type == 3) return field.value.as_unsigned_long_long;
  if (field.status == kNvmlSuccess && field.type == 2) return field.value.as_unsigned_long;
  const std::optional<double> number = field_number(field);
  constexpr double kTooLarge = 1e19;
  if (!number || *number < 0 || *number > kTooLarge) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace tactus::meters
