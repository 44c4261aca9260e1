#pragma once

#include <memory>
#include <string>

#include "record/meters/gpu/nvml.h"
#include "record/meters/host/own_processes.h"
#include "record/meters/host/root_file.h"
#include "record/meters/reader.h"

namespace tactus::meters {

/// The readers of all GPUs that NVML shows; none, and an issue, if there is no NVML or no GPU.
MeterReaders gpu_readers(const std::string& library, const Root& root,
                         const std::shared_ptr<OwnProcesses>& own, MeterTable& table);
/// Traffic over PCIe of those GPUs whose driver only has the call that watches the link for 20 ms.
MeterReaders slow_pcie_readers(const std::string& library, MeterTable& table);

/// One GPU. Its readers share it, on one thread.
struct Gpu {
  std::shared_ptr<Nvml> nvml;
  Nvml::Device handle = nullptr;
  std::string label;   ///< "GPU 0"
  std::string bus_id;  ///< "0000:3b:00.0"
  bool is_lost = false;
  bool has_gpm_pcie = false;   ///< GPM gives the traffic, so that fields need not
  bool has_gpm_links = false;  ///< the same of NVLink
  bool sees_own = false;  ///< an own process was on it, so NVML numbers processes as /proc does

  /// True for success. What a call cannot do is listed, and why.
  bool good(int status, const char* what, MeterTable& table);
};

/// A call that is not made again once the driver said that it never works.
class GpuCall {
 public:
  explicit GpuCall(const char* what) : what_(what) {}

  template <class Function, class... Arguments>
  bool operator()(Gpu& gpu, MeterTable& table, Function function, Arguments... arguments) {
    if (is_off_ || gpu.is_lost) return false;
    const int status =
        function == nullptr ? kNvmlFunctionNotFound : function(gpu.handle, arguments...);
    is_off_ = is_final(status);
    return gpu.good(status, what_, table);
  }

 private:
  static bool is_final(int status) {
    return status == kNvmlNotSupported || status == kNvmlNoPermission ||
           status == kNvmlFunctionNotFound || status == kNvmlInvalidArgument;
  }

  const char* what_;
  bool is_off_ = false;
};

// The readers of one GPU.
/// Clocks, why they are not higher, power and traffic: what can change from step to step.
std::unique_ptr<MeterReader> gpu_clock_meter(std::shared_ptr<Gpu> gpu);
/// Use and memory of the device.
std::unique_ptr<MeterReader> gpu_use_meter(std::shared_ptr<Gpu> gpu);
/// Temperature and the state of the PCIe link.
std::unique_ptr<MeterReader> gpu_state_meter(std::shared_ptr<Gpu> gpu, const Root& root);
/// Memory that own and foreign processes hold on the device.
std::unique_ptr<MeterReader> gpu_process_memory_meter(std::shared_ptr<Gpu> gpu, const Root& root,
                                                      std::shared_ptr<OwnProcesses> own);
/// The share of time in which kernels of own and foreign processes ran.
std::unique_ptr<MeterReader> gpu_process_use_meter(std::shared_ptr<Gpu> gpu, const Root& root,
                                                   std::shared_ptr<OwnProcesses> own);
/// Hopper and later: activity of SMs, tensor cores, memory and links. Null without it.
std::unique_ptr<MeterReader> gpm_meter(std::shared_ptr<Gpu> gpu, MeterTable& table);

}  // namespace tactus::meters
