#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "record/meters/gpu/gpu_fields.h"
#include "record/meters/gpu/gpu_meters.h"

namespace tactus::meters {
namespace {

/// NVML's "00000000:3B:00.0" as /sys has it: "0000:3b:00.0".
std::string bus_id_of(const NvmlPciInfo& pci) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
}

/// Text that NVML wrote into a buffer, which it may not have ended.
template <std::size_t kSize>
std::string text_of(const std::array<char, kSize>& buffer) {
  return {buffer.begin(), std::find(buffer.begin(), buffer.end(), '\0')};
}

std::shared_ptr<Gpu> open_gpu(const std::shared_ptr<Nvml>& nvml, unsigned index,
                              MeterTable& table) {
  auto gpu = std::make_shared<Gpu>();
  gpu->nvml = nvml;
  gpu->label = fmt::format("GPU {}", index);
  if (!gpu->good(nvml->device(index, &gpu->handle), "all meters", table)) return nullptr;
  MeterDevice device{.label = gpu->label};
  std::array<char, 96> text{};
  const auto size = static_cast<unsigned>(text.size());
  if (nvml->uuid != nullptr && nvml->uuid(gpu->handle, text.data(), size) == kNvmlSuccess) {
    device.uuid = text_of(text);
  }
  text.fill('\0');
  if (nvml->name != nullptr && nvml->name(gpu->handle, text.data(), size) == kNvmlSuccess) {
    device.model = text_of(text);
  }
  NvmlPciInfo pci{};
  if (nvml->pci_info != nullptr && nvml->pci_info(gpu->handle, &pci) == kNvmlSuccess) {
    device.bus_id = bus_id_of(pci);
  }
  gpu->bus_id = device.bus_id;
  table.device(device);
  return gpu;
}

std::vector<std::shared_ptr<Gpu>> open_gpus(const std::string& library, MeterTable& table) {
  const Result<std::shared_ptr<Nvml>> nvml = Nvml::open(library);
  if (!nvml) {
    table.report({.what = "all meters of GPUs",
                  .reason = nvml.error().message,
                  .fix = "NVML comes with the NVIDIA driver; in a container, "
                         "NVIDIA_DRIVER_CAPABILITIES=compute,utility"});
    return {};
  }
  unsigned count = 0;
  const int status = (*nvml)->device_count(&count);
  if (status != kNvmlSuccess || count == 0) {
    table.report({.what = "all meters of GPUs",
                  .reason = status != kNvmlSuccess ? (*nvml)->words(status) : "NVML shows no GPU",
                  .fix = "check nvidia-smi; in a container, start it with --gpus all"});
    return {};
  }
  std::vector<std::shared_ptr<Gpu>> gpus;
  constexpr unsigned kMost = 256;
  for (unsigned index = 0; index < std::min(count, kMost); ++index) {
    if (std::shared_ptr<Gpu> gpu = open_gpu(*nvml, index, table)) gpus.push_back(std::move(gpu));
  }
  return gpus;
}

bool has_gpm(const Gpu& gpu) {
  NvmlGpmSupport support{.version = 1, .is_supported = 0};
  return gpu.nvml->gpm_support != nullptr && gpu.nvml->gpm_metrics != nullptr &&
         gpu.nvml->gpm_support(gpu.handle, &support) == kNvmlSuccess && support.is_supported != 0;
}

std::string fix_of(int status) {
  switch (status) {
    case kNvmlNoPermission:
      return "run as root (container: --cap-add SYS_ADMIN), or load the nvidia module with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case kNvmlFunctionNotFound: return "use a newer NVIDIA driver";
    case kNvmlNotSupported: return "none: this GPU or its mode (MIG, virtual) does not have it";
    case kNvmlGpuIsLost: return "look at dmesg for Xid errors, and reset the GPU";
    default: return "look at dmesg; it is tried again";
  }
}

}  // namespace

bool Gpu::good(int status, const char* what, MeterTable& table) {
  if (status == kNvmlSuccess) return true;
  if (status == kNvmlGpuIsLost) is_lost = true;
  table.report({.what = fmt::format("{}: {}", label, is_lost ? "all meters from here on" : what),
                .reason = status == kNvmlFunctionNotFound ? "NVML does not have this function"
                                                          : nvml->words(status),
                .fix = fix_of(status)});
  return false;
}

const std::vector<std::shared_ptr<Gpu>>& GpuMeters::gpus(MeterTable& table) {
  std::call_once(is_open_, [&] { gpus_ = open_gpus(library_, table); });
  return gpus_;
}

MeterReaders GpuMeters::quick_readers(MeterTable& table) {
  MeterReaders readers;
  for (const std::shared_ptr<Gpu>& gpu : gpus(table)) {
    readers.push_back(gpu_clock_meter(gpu));
    readers.push_back(gpu_use_meter(gpu));
    readers.push_back(gpu_power_meter(gpu));
  }
  return readers;
}

MeterReaders GpuMeters::activity_readers(const Root& root, const std::shared_ptr<OwnProcesses>& own,
                                         MeterTable& table) {
  MeterReaders readers;
  for (const std::shared_ptr<Gpu>& gpu : gpus(table)) {
    std::unique_ptr<MeterReader> gpm = has_gpm(*gpu) ? gpm_meter(gpu, table) : nullptr;
    if (gpm == nullptr) {
      table.report({.what = fmt::format("{}: activity of SMs, tensor cores and memory", gpu->label),
                    .reason = "this GPU or driver has no GPM",
                    .fix = "GPM needs Hopper or later and a driver of 2023 or later"});
    }
    readers.push_back(gpu_process_memory_meter(gpu, root, own));
    readers.push_back(gpu_process_use_meter(gpu, root, own));
    if (gpm != nullptr) readers.push_back(std::move(gpm));
    readers.push_back(gpu_traffic_meter(gpu));
    readers.push_back(gpu_state_meter(gpu, root));
  }
  return readers;
}

MeterReaders GpuMeters::slow_pcie_readers(MeterTable& table) {
  MeterReaders readers;
  for (const std::shared_ptr<Gpu>& gpu : gpus(table)) {
    if (has_gpm(*gpu) || has_field(*gpu, kFieldPcieSent)) continue;
    readers.push_back(slow_pcie_meter(gpu));
  }
  return readers;
}

}  // namespace tactus::meters
